"""Turns documents into what their pages print: words, addresses, bands. No database, no clock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from django.urls import reverse

from documents.browsing import Facet, Shelf, ShelfDocument, ShelfFilters, ShelfPlace
from documents.models import Document
from documents.moments import (
    AskedMoment,
    read_asked_moment,
    word_day_or_time,
    word_interval,
    word_moment,
)
from documents.page_forms import ShelfForm
from documents.page_requests import with_query
from documents.pages import (
    Banner,
    Choice,
    DocumentListPage,
    DocumentPage,
    DocumentRow,
    ListFilter,
    PageLink,
    RevisionLine,
)
from documents.pagination import decode_cursor, encode_cursor
from documents.selectors import TimelineEntry
from documents.standing import Numbered, draw_band, pick_standing, state_of

SHELF = "shelf"
NOT_FOUND_LANGUAGE = "und"
LANGUAGE_NAMES = {
    "en": "English",
    "zh": "Chinese",
    "ja": "Japanese",
    "ko": "Korean",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "it": "Italian",
    "pt": "Portuguese",
    "nl": "Dutch",
    "und": "Not known",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShelfQuery:
    """What a request asks of the document list."""

    asked: AskedMoment
    filters: ShelfFilters
    place: ShelfPlace


def read_shelf_query(form: ShelfForm, query: Mapping[str, str], *, now: datetime) -> ShelfQuery:
    """Return what the list is asked for; fields with errors count as left out.

    Raises: InvalidInput for a moment that cannot be read or a cursor of another list.
    """
    form.is_valid()
    fields = form.cleaned_data
    after, before = query.get("after", ""), query.get("before", "")
    return ShelfQuery(
        asked=read_asked_moment(fields.get("as_of", ""), now=now),
        filters=ShelfFilters(
            words=fields.get("words", ""),
            group=fields.get("group", ""),
            language=fields.get("language", ""),
            tag=fields.get("tag", ""),
            standing="any" if fields.get("standing") == "any" else "in_force",
        ),
        place=ShelfPlace(
            after=decode_cursor(SHELF, after) if after else None,
            before=decode_cursor(SHELF, before) if before else None,
        ),
    )


def present_shelf(shelf: Shelf, query: ShelfQuery, *, errors: Sequence[str]) -> DocumentListPage:
    """Return the page of the document list."""
    filters, asked = query.filters, query.asked
    action = reverse("document_list")
    kept = {
        name: value
        for name, value in asdict(filters).items()
        if value and (name != "standing" or value == "any")
    }
    if asked.is_changed:
        kept["as_of"] = asked.text

    def turn(label: str, **cursor: str) -> PageLink:
        return PageLink(label=label, url=with_query(action, **kept, **cursor))

    return DocumentListPage(
        action=action,
        words=filters.words,
        as_of=asked.text,
        as_of_type="date" if asked.is_day else "text",
        as_of_changed=asked.is_changed,
        filters=_present_filters(shelf, filters),
        rows=tuple(_present_row(document, asked) for document in shelf.documents),
        count_label=_count_label(shelf.count, filters, asked),
        clear=PageLink(label="Clear", url=action) if kept else None,
        newer=turn("Back", before=encode_cursor(SHELF, shelf.newer)) if shelf.newer else None,
        older=turn("More", after=encode_cursor(SHELF, shelf.older)) if shelf.older else None,
        errors=tuple(errors),
    )


def present_document(
    document: Document, timeline: Sequence[TimelineEntry], *, asked: AskedMoment
) -> DocumentPage:
    """Return the page of one document."""
    revisions = numbered_of(timeline)
    standing = pick_standing(revisions, at=asked.at)
    if standing is None:
        raise ValueError("a document that may be opened has a published revision")
    number, interval = standing
    state = state_of(interval, revisions, at=asked.at)
    shelf = reverse("document_list")
    return DocumentPage(
        title=document.title,
        language=document.language,
        group=document.visibility_group.name,
        owner=_person_name(document),
        tags=tuple(PageLink(label=tag, url=with_query(shelf, tag=tag)) for tag in document.tags),
        state=state,
        summary=f"Revision {number}, {word_interval(interval, at=asked.at)}",
        band=draw_band(revisions, at=asked.at),
        timeline=present_timeline(document, timeline, at=asked.at),
        read=PageLink(
            label=_read_label(state.code == "in_force", number, asked),
            url=revision_url(document, number),
        ),
        ask=PageLink(label="Ask a question", url=with_query(reverse("ask"), as_of=_as_of(asked))),
        banner=_document_banner(document, revisions, asked),
        source_url=document.source_url,
    )


def present_timeline(
    document: Document, timeline: Sequence[TimelineEntry], *, at: datetime, shown: int | None = None
) -> tuple[RevisionLine, ...]:
    """Return a document's revisions, newest start first."""
    revisions = numbered_of(timeline)
    return tuple(
        RevisionLine(
            number=entry.number,
            state=state_of(entry.interval, revisions, at=at),
            starts=word_moment(entry.interval.start),
            ends=None if entry.interval.end is None else word_moment(entry.interval.end),
            change_note=entry.change_note,
            url=revision_url(document, entry.number),
            shown=entry.number == shown,
            entered_late=entry.entered_late,
        )
        for entry in reversed(timeline)
    )


def numbered_of(timeline: Sequence[TimelineEntry]) -> tuple[Numbered, ...]:
    """Return the numbers and intervals of a timeline, oldest start first."""
    return tuple((entry.number, entry.interval) for entry in timeline)


def document_url(document: Document) -> str:
    """Return the address of a document's page."""
    return reverse("document", args=[document.public_id])


def revision_url(document: Document, number: int, **query: object) -> str:
    """Return the address of a revision's page, with a span where one is given."""
    return with_query(reverse("revision", args=[document.public_id, number]), **query)


def language_name(code: str) -> str:
    """Return the name of a language, or its code."""
    return LANGUAGE_NAMES.get(code, code)


def _present_row(document: ShelfDocument, asked: AskedMoment) -> DocumentRow:
    standing = pick_standing(document.revisions, at=asked.at)
    if standing is None:
        raise ValueError("a document on the shelf has a published revision")
    _, interval = standing
    total = len(document.revisions)
    return DocumentRow(
        title=document.title,
        url=with_query(reverse("document", args=[document.public_id]), as_of=_as_of(asked)),
        language=document.language,
        group=document.group_name,
        tags=document.tags,
        state=state_of(interval, document.revisions, at=asked.at),
        interval=word_interval(interval, at=asked.at),
        revision_label="1 revision" if total == 1 else f"{total} revisions",
        band=draw_band(document.revisions, at=asked.at),
    )


def _present_filters(shelf: Shelf, filters: ShelfFilters) -> tuple[ListFilter, ...]:
    languages = [
        Facet(value=facet.value, label=language_name(facet.value), count=facet.count)
        for facet in shelf.languages
    ]
    return (
        _present_filter("group", "Readers", "All groups", shelf.groups, filters.group),
        _present_filter("tag", "Tag", "All tags", shelf.tags, filters.tag),
        _present_filter("language", "Language", "All languages", languages, filters.language),
        ListFilter(
            name="standing",
            label="State",
            choices=(
                Choice(value="", label="In force", selected=filters.standing == "in_force"),
                Choice(value="any", label="In force or not", selected=filters.standing == "any"),
            ),
        ),
    )


def _present_filter(
    name: str, label: str, everything: str, facets: Sequence[Facet], chosen: str
) -> ListFilter:
    choices = [Choice(value="", label=everything)]
    choices += [
        Choice(
            value=facet.value,
            label=f"{facet.label} ({facet.count})",
            selected=facet.value == chosen,
        )
        for facet in facets
    ]
    if chosen and chosen not in {facet.value for facet in facets}:
        # What no readable document has, hidden or absent alike, stays chosen and finds nothing.
        choices.append(Choice(value=chosen, label=f"{chosen} (0)", selected=True))
    return ListFilter(name=name, label=label, choices=tuple(choices))


def _count_label(count: int, filters: ShelfFilters, asked: AskedMoment) -> str:
    documents = "1 document" if count == 1 else f"{count:,} documents"
    fitting = " that fit" if filters.is_narrowed and count != 1 else ""
    when = f" on {word_day_or_time(asked.at)}" if asked.is_changed else ""
    if filters.standing == "any":
        return f"{documents}{fitting} of which you may read some revision"
    return f"{documents}{fitting} that you may read{' and in force' if when else ''}{when}"


def _read_label(is_in_force: bool, number: int, asked: AskedMoment) -> str:  # noqa: FBT001 - one fact
    if not is_in_force:
        return f"Read revision {number}"
    if asked.is_changed:
        return f"Read what is in force on {word_day_or_time(asked.at)}"
    return "Read what is in force"


def _document_banner(
    document: Document, revisions: Sequence[Numbered], asked: AskedMoment
) -> Banner | None:
    coming = [numbered for numbered in revisions if asked.at < numbered[1].start]
    if coming:
        number, interval = min(coming, key=lambda numbered: numbered[1].start)
        return Banner(
            kind="future",
            text=f"Revision {number} comes into force on {word_day_or_time(interval.start)}.",
            link=PageLink(label="Read it", url=revision_url(document, number)),
        )
    if not any(interval.contains(asked.at) for _, interval in revisions):
        return Banner(kind="gone", text="No revision of this document is in force.")
    return None


def _as_of(asked: AskedMoment) -> str:
    return asked.text if asked.is_changed else ""


def _person_name(document: Document) -> str:
    if document.owner is None:
        return "Nobody named"
    return document.owner.get_full_name() or document.owner.get_username()
