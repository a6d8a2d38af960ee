"""The page of one answer: claims, sources in citation order, what is withheld, or the refusal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.urls import reverse

from answers.pages import (
    AnswerKind,
    AnswerPage,
    CitationMark,
    ClaimText,
    FoundPassage,
    RefusalText,
    SourceCard,
    WithheldSource,
)
from answers.presenting import as_of_text, present_form, was_asked_about_then
from answers.refusal_wording import steps_after, words_of
from answers.types import (
    AnswerCitation,
    AnswerClaim,
    AnswerPassage,
    AnswerResponse,
    RefusalReason,
    ReopenedAnswer,
)
from documents.browsing import RevisionFacts
from documents.moments import (
    read_asked_moment,
    word_clock,
    word_day,
    word_day_or_time,
    word_interval,
    word_moment,
)
from documents.page_requests import with_query
from documents.pages import Banner, Moment, PageLink, TextPart
from documents.standing import Numbered, draw_band, state_of
from documents.text_blocks import is_markdown
from documents.text_marking import ANCHOR, Marker, Stretch, running_stretches

CONTEXT_CHARS = 180
EXCERPT_CHARS = 300
HIGH, FAIR = 0.8, 0.6
WITHHELD = "Withheld: you may no longer read this source, or it is gone."
WITHHELD_IN_PART = "A part of this answer is withheld: its source can no longer be read."

Timelines = Mapping[UUID, tuple[RevisionFacts, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A cited or found revision: its facts, and those of all revisions of its document."""

    facts: RevisionFacts
    revisions: tuple[Numbered, ...]


def present_answer(reopened: ReopenedAnswer, timelines: Timelines, *, now: datetime) -> AnswerPage:
    """Return the page of an answer as its reader may see it now."""
    response = reopened.response
    asked_text = as_of_text(response.as_of, reopened.asked_at)
    changed = not was_asked_about_then(response.as_of, reopened.asked_at)
    form = present_form(read_asked_moment(asked_text, now=now), now=now, question=response.question)
    sources = tuple(_sources(response, timelines, now=now))
    again = with_query(reverse("ask"), question=response.question)
    return AnswerPage(
        kind=_kind(response),
        form=form,
        question=response.question,
        asked=_word_asked(reopened.asked_at, now=now),
        as_of=_word_as_of(response.as_of, changed=changed, now=now),
        as_of_changed=changed,
        ask_today=PageLink(label="Ask for today", url=again) if changed else None,
        query_id=str(response.query_id),
        claims=tuple(_present_claim(claim, sources, response) for claim in response.claims),
        sources=sources,
        withheld=tuple(_present_withheld(reopened, sources)),
        found=() if response.refused else tuple(_found(response, timelines)),
        refusal=_present_refusal(response, changed=changed) if response.refused else None,
        notices=_notices(reopened),
        facts=_facts(response),
    )


def cited_documents(response: AnswerResponse) -> set[UUID]:
    """Return the documents that an answer's page names."""
    cited = {citation.document.id for citation in response.citations}
    return cited | {passage.document.id for passage in response.passages}


def _kind(response: AnswerResponse) -> AnswerKind:
    if not response.refused:
        return "answered"
    withdrawn = response.refusal_reason is RefusalReason.EVIDENCE_WITHDRAWN
    return "withheld" if withdrawn else "refused"


def _find_place(timelines: Timelines, document: UUID, number: int) -> Place | None:
    timeline = timelines.get(document, ())
    facts = next((facts for facts in timeline if facts.number == number), None)
    if facts is None:
        return None
    return Place(facts=facts, revisions=tuple((each.number, each.interval) for each in timeline))


def _sources(
    response: AnswerResponse, timelines: Timelines, *, now: datetime
) -> Iterator[SourceCard]:
    """Give the cited sources; one that was lost since the answer was read is left out."""
    for citation in response.citations:
        place = _find_place(timelines, citation.document.id, citation.revision)
        if place is not None:
            yield _present_source(citation, place, response, now=now)


def _present_source(
    citation: AnswerCitation, place: Place, response: AnswerResponse, *, now: datetime
) -> SourceCard:
    facts = place.facts
    return SourceCard(
        number=citation.n,
        anchor=f"source-{citation.n}",
        title=citation.document.title,
        language=facts.language,
        url=_source_url(citation, response.query_id),
        revision_label=f"Revision {citation.revision}",
        interval=word_interval(facts.interval, at=now),
        state=state_of(facts.interval, place.revisions, at=now),
        heading_path=_path(citation.heading_path, citation.document.title),
        quote=_quote_parts(citation, response.passages, markdown=is_markdown(facts.original_name)),
        band=draw_band(place.revisions, at=response.as_of, now=now),
        page_label=f"Page {citation.page}" if citation.page else "",
        superseded=_superseded_banner(citation, place, now=now),
    )


def _superseded_banner(citation: AnswerCitation, place: Place, *, now: datetime) -> Banner | None:
    since = citation.superseded_since
    if since is None:
        return None
    current = next((number for number, each in place.revisions if each.contains(now)), None)
    if current is None:
        return Banner(kind="gone", text=f"No longer in force since {word_day_or_time(since)}.")
    url = reverse("revision", args=[citation.document.id, current])
    return Banner(
        kind="past",
        text=f"Superseded since {word_day_or_time(since)}.",
        link=PageLink(label="See the one in force", url=url),
    )


def _source_url(part: AnswerCitation | AnswerPassage, query_id: UUID) -> str:
    """Return where a span is read: marked, with the way back here, opened there without script."""
    url = reverse("revision", args=[part.document.id, part.revision])
    return f"{with_query(url, start=part.start, end=part.end, answer=query_id)}#{ANCHOR}"


def _path(headings: tuple[str, ...], title: str) -> tuple[str, ...]:
    return headings[1:] if headings and headings[0].strip() == title.strip() else headings


def _quote_parts(
    citation: AnswerCitation, passages: tuple[AnswerPassage, ...], *, markdown: bool
) -> tuple[TextPart, ...]:
    """Return the quoted words, marked, within the sentences around them."""
    text, start = citation.quote, citation.start
    for passage in passages:
        is_same = (passage.document.id, passage.revision) == (
            citation.document.id,
            citation.revision,
        )
        if is_same and passage.start <= citation.start and citation.end <= passage.end:
            text, start = passage.text, passage.start
            break
    span = (citation.start - start, citation.end - start)
    begin = _context_start(text, span[0])
    stop = _context_end(text, span[1])
    return Marker(text, span).mark(_stretches(text, begin, stop, markdown=markdown))


def _context_start(text: str, place: int) -> int:
    """Return where the words around a quote begin: at its paragraph, or at a word before it."""
    begin = text.rfind("\n\n", 0, place) + 2 if "\n\n" in text[:place] else 0
    if place - begin <= CONTEXT_CHARS:
        return begin
    space = text.find(" ", place - CONTEXT_CHARS, place)
    return space + 1 if space >= 0 else place - CONTEXT_CHARS


def _context_end(text: str, place: int) -> int:
    stop = text.find("\n\n", place)
    stop = len(text) if stop < 0 else stop
    if stop - place <= CONTEXT_CHARS:
        return stop
    space = text.rfind(" ", place, place + CONTEXT_CHARS)
    return space if space > place else place + CONTEXT_CHARS


def _stretches(text: str, start: int, stop: int, *, markdown: bool) -> Iterator[Stretch]:
    if markdown:
        yield from running_stretches(text, start, stop)
    else:
        yield Stretch(start, stop)


def _present_claim(
    claim: AnswerClaim, sources: tuple[SourceCard, ...], response: AnswerResponse
) -> ClaimText:
    cited = [source for source in sources if source.number in claim.citations]
    quotes = {citation.n: citation.quote for citation in response.citations}
    stretches = running_stretches(claim.text, 0, len(claim.text))
    return ClaimText(
        parts=Marker(claim.text, None).mark(stretches),
        language=cited[0].language if cited else "",
        marks=tuple(
            CitationMark(
                number=source.number,
                url=source.url,
                anchor=source.anchor,
                label=f"{source.title}, {source.revision_label.lower()}",
                quote=quotes[source.number],
            )
            for source in cited
        ),
    )


def _present_withheld(
    reopened: ReopenedAnswer, sources: tuple[SourceCard, ...]
) -> Iterator[WithheldSource]:
    shown = {source.number for source in sources}
    lost = {citation.n for citation in reopened.response.citations} - shown
    for number in sorted(lost | set(reopened.withheld)):
        yield WithheldSource(number=number, anchor=f"source-{number}", reason=WITHHELD)


def _found(response: AnswerResponse, timelines: Timelines) -> Iterator[FoundPassage]:
    for passage in response.passages:
        place = _find_place(timelines, passage.document.id, passage.revision)
        if passage.cited or place is None:
            continue
        yield FoundPassage(
            title=passage.document.title,
            language=place.facts.language,
            url=_source_url(passage, response.query_id),
            revision_label=f"Revision {passage.revision}",
            heading_path=(),
            excerpt=_excerpt(passage.text, markdown=is_markdown(place.facts.original_name)),
        )


def _excerpt(text: str, *, markdown: bool) -> str:
    """Return how a passage begins, on one line and without the marks of its format."""
    parts = Marker(text, None).mark(_stretches(text, 0, len(text), markdown=markdown))
    seen = "".join(part.text for part in parts if part.kind != "quiet")
    words = " ".join(seen.split())
    return words if len(words) <= EXCERPT_CHARS else f"{words[:EXCERPT_CHARS]}…"


def _present_refusal(response: AnswerResponse, *, changed: bool) -> RefusalText:
    reason = response.refusal_reason
    if reason is None:
        raise ValueError("a refusal has a reason")
    words = words_of(reason)
    shelf = with_query(reverse("document_list"), as_of=_day_text(response) if changed else "")
    when = word_day_or_time(response.as_of) if changed else word_day(response.as_of)
    steps = [PageLink(label=step, url="") for step in steps_after(reason)]
    steps.append(PageLink(label="Ask about another day, with the date below.", url=""))
    steps.append(PageLink(label="See which documents you may read", url=shelf))
    return RefusalText(
        code=reason.value,
        headline=words.headline,
        explanation=words.explanation,
        searched=(
            "everything that you may read",
            f"in force on {when}",
            _searched(response),
        ),
        steps=tuple(steps),
    )


def _day_text(response: AnswerResponse) -> str:
    return as_of_text(response.as_of, None)


def _searched(response: AnswerResponse) -> str:
    found = response.completeness
    passages = (
        "1 passage" if found.permitted_passages == 1 else (f"{found.permitted_passages:,} passages")
    )
    if found.dense_plan == "graph":
        return f"More than {passages} searched, by an index"
    return f"{passages} searched, every one"


def _facts(response: AnswerResponse) -> tuple[str, ...]:
    if response.refused:
        return ()
    return (_word_confidence(response.confidence), _searched(response))


def _word_confidence(confidence: float) -> str:
    if confidence >= HIGH:
        return "High confidence"
    return "Fair confidence" if confidence >= FAIR else "Low confidence: read the sources"


def _notices(reopened: ReopenedAnswer) -> tuple[Banner, ...]:
    if reopened.withheld and not reopened.response.refused:
        return (Banner(kind="gone", text=WITHHELD_IN_PART),)
    return ()


def _word_asked(asked_at: datetime, *, now: datetime) -> Moment:
    today = word_day(asked_at) == word_day(now)
    day = "today" if today else word_day(asked_at)
    return Moment(
        iso=asked_at.isoformat(timespec="seconds"), label=f"{day} at {word_clock(asked_at)}"
    )


def _word_as_of(as_of: datetime, *, changed: bool, now: datetime) -> Moment:
    if changed:
        return word_moment(as_of)
    label = word_day(as_of) if word_day(as_of) != word_day(now) else f"today, {word_day(as_of)}"
    return Moment(iso=as_of.isoformat(timespec="seconds"), label=label)
