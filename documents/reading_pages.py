"""The page of one revision: its text, the marked span, and where the revision stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from documents.extraction.types import Layout
from documents.intervals import EffectiveInterval, interval_of
from documents.models import Revision
from documents.moments import word_day_or_time, word_interval
from documents.page_forms import SpanForm
from documents.pages import Banner, PageLink, RevisionPage
from documents.presenting import document_url, numbered_of, present_timeline, revision_url
from documents.selectors import TimelineEntry
from documents.standing import Numbered, state_of
from documents.text_blocks import (
    TextLayout,
    Window,
    heading_path_at,
    is_markdown,
    page_label_at,
    split_windows,
)

NO_SUCH_SPAN = (
    "The address names characters that this text does not have, so nothing is marked in it."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedSpan:
    """What an address asks to be marked: a span, or nothing; `is_wrong` where it cannot be."""

    span: tuple[int, int] | None
    is_wrong: bool = False


def present_revision(
    revision: Revision, timeline: Sequence[TimelineEntry], form: SpanForm, *, at: datetime
) -> RevisionPage:
    """Return the page of one revision, with the span of its address marked."""
    document, text = revision.document, revision.text
    layout = Layout.from_json(revision.layout) if revision.layout else Layout()
    asked = _read_span(form, length=len(text))
    windows = split_windows(text, layout)
    window = _choose_window(windows, asked, form)
    revisions = numbered_of(timeline)
    interval = _interval(revision)
    start, end = asked.span or (0, 0)
    blocks = TextLayout(
        text, layout, markdown=is_markdown(revision.original_name), span=asked.span
    ).lay_out(window)
    return RevisionPage(
        title=document.title,
        document_url=document_url(document),
        language=revision.language or document.language,
        group=document.visibility_group.name,
        number=revision.number,
        state=state_of(interval, revisions, at=at),
        interval=word_interval(interval, at=at),
        blocks=blocks,
        timeline=present_timeline(document, timeline, at=at, shown=revision.number),
        heading_path=heading_path_at(layout, start, title=document.title) if asked.span else (),
        page_label=page_label_at(layout, start) if asked.span else "",
        quote=text[start:end],
        position=f"characters {start + 1:,} to {end:,}" if asked.span else "",
        banner=_standing_banner(revision, interval, revisions, at=at),
        warnings=((NO_SUCH_SPAN,) if asked.is_wrong else ()) + tuple(revision.warnings),
        back=_back_link(form),
        window_label=f"Part {window.index + 1} of {window.total}" if window.total > 1 else "",
        earlier=_window_link(revision, windows, window.index - 1, "Part before"),
        later=_window_link(revision, windows, window.index + 1, "Next part"),
    )


def _read_span(form: SpanForm, *, length: int) -> AskedSpan:
    is_valid = form.is_valid()
    start, end = form.cleaned_data.get("start"), form.cleaned_data.get("end")
    if start is not None and end is not None and start < end <= length:
        return AskedSpan(span=(start, end))
    is_asked = start is not None or end is not None
    return AskedSpan(span=None, is_wrong=is_asked or not is_valid)


def _choose_window(windows: Sequence[Window], asked: AskedSpan, form: SpanForm) -> Window:
    """Return the window that holds the start of the span, else the one asked for."""
    if asked.span is not None:
        start = asked.span[0]
        return next(window for window in windows if window.start <= start < window.end)
    index = (form.cleaned_data.get("window") or 1) - 1
    return windows[min(index, len(windows) - 1)]


def _window_link(
    revision: Revision, windows: Sequence[Window], index: int, label: str
) -> PageLink | None:
    if not 0 <= index < len(windows):
        return None
    url = revision_url(revision.document, revision.number, window=index + 1)
    return PageLink(label=label, url=url)


def _interval(revision: Revision) -> EffectiveInterval:
    interval = interval_of(revision.effective)
    if interval is None:
        raise ValueError("a revision that may be opened has an interval")
    return interval


def _standing_banner(
    revision: Revision,
    interval: EffectiveInterval,
    revisions: Sequence[Numbered],
    *,
    at: datetime,
) -> Banner | None:
    if interval.contains(at):
        return None
    current = next((number for number, other in revisions if other.contains(at)), None)
    link = None
    if current is not None:
        link = PageLink(label="Read the one in force", url=revision_url(revision.document, current))
    if at < interval.start:
        start = word_day_or_time(interval.start)
        text = f"This revision is not yet in force. It comes into force on {start}."
        return Banner(kind="future", text=text, link=link)
    end = word_day_or_time(interval.end) if interval.end else ""
    if link is None:
        text = f"This revision ceased to be in force on {end}, and no other is in force now."
        return Banner(kind="gone", text=text)
    return Banner(kind="past", text=f"This revision is no longer in force since {end}.", link=link)


def _back_link(form: SpanForm) -> PageLink | None:
    answer = form.cleaned_data.get("answer")
    if answer is None:
        return None
    return PageLink(label="Back to the answer", url=reverse("answer", args=[answer]))
