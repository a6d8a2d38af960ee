"""Turns the box and the history into what their pages print. No database, no clock."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, time
from itertools import groupby

from django.urls import reverse

from answers.page_forms import LONGEST_MOMENT_CHARS
from answers.pages import AskForm, AskPage, HistoryDay, HistoryEntry, HistoryPage
from answers.types import HistoryEntry as PastQuestion
from documents.conf import organisation_zone
from documents.moments import (
    AskedMoment,
    today_text,
    word_clock,
    word_day,
    word_day_or_time,
)
from documents.page_requests import with_query
from documents.pages import Moment, PageLink
from retrieval.conf import retrieval_config

GREETING = "What do the rules say?"
RECHECKED = "Each citation is checked again whenever you open an answer."


def present_form(
    asked: AskedMoment, *, now: datetime, question: str = "", errors: Sequence[str] = ()
) -> AskForm:
    """Return the box with a question and a moment in it."""
    return AskForm(
        action=reverse("ask"),
        question=question,
        as_of=asked.text,
        as_of_type="date" if asked.is_day else "text",
        as_of_changed=asked.is_changed,
        as_of_label=word_day_or_time(asked.at) if asked.is_changed else "today",
        today=today_text(now),
        longest_chars=retrieval_config().question_chars,
        errors=tuple(errors),
    )


def wrong_moment(text: str, *, now: datetime) -> AskedMoment:
    """Return what the control shows where its value cannot be read: that value, and now."""
    return AskedMoment(at=now, text=text[:LONGEST_MOMENT_CHARS], is_changed=True)


def present_ask_page(form: AskForm, *, readable: int, is_signed_in: bool) -> AskPage:
    """Return the page with the box and how much stands behind it."""
    documents = "1 document" if readable == 1 else f"{readable:,} documents"
    reach = "" if is_signed_in else ", open to all"
    return AskPage(
        form=form,
        greeting=GREETING,
        readable_label=f"You may read {documents}{reach}.",
        documents=PageLink(label="See them", url=reverse("document_list")),
    )


def present_history(
    entries: Iterable[PastQuestion], *, next_cursor: str | None, is_first: bool, now: datetime
) -> HistoryPage:
    """Return a page of one's own questions, by day, newest first."""
    url = reverse("history")
    older = with_query(url, cursor=next_cursor) if next_cursor else ""
    return HistoryPage(
        days=tuple(_days(entries, now=now)),
        count_label=RECHECKED,
        ask=PageLink(label="Ask a question", url=reverse("ask")),
        newer=None if is_first else PageLink(label="Newest questions", url=url),
        older=PageLink(label="Older questions", url=older) if older else None,
    )


def was_asked_about_then(as_of: datetime, asked_at: datetime) -> bool:
    """Whether a question was about the moment at which it was asked."""
    return as_of == asked_at


def as_of_text(as_of: datetime, asked_at: datetime | None) -> str:
    """Return what the date control holds for a moment: nothing for now, a day, or a moment."""
    if as_of == asked_at:
        return ""
    local = as_of.astimezone(organisation_zone())
    if local.time() == time.min:
        return local.date().isoformat()
    return local.isoformat(timespec="seconds" if not local.microsecond else "auto")


def _days(entries: Iterable[PastQuestion], *, now: datetime) -> Iterator[HistoryDay]:
    for day, group in groupby(entries, key=lambda entry: word_day(entry.asked_at)):
        label = "Today" if day == word_day(now) else day
        yield HistoryDay(label=label, entries=tuple(_entry(entry) for entry in group))


def _entry(past: PastQuestion) -> HistoryEntry:
    citations = "1 citation" if past.citation_count == 1 else f"{past.citation_count} citations"
    is_changed = not was_asked_about_then(past.as_of, past.asked_at)
    return HistoryEntry(
        question=past.question,
        url=reverse("answer", args=[past.query_id]),
        asked=Moment(
            iso=past.asked_at.isoformat(timespec="seconds"), label=word_clock(past.asked_at)
        ),
        as_of_label=f"as of {word_day_or_time(past.as_of)}" if is_changed else "",
        kind="refused" if past.refused else "answered",
        outcome_label="Not answered" if past.refused else "Answered",
        citations_label="" if past.refused else citations,
    )
