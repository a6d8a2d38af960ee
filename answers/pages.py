"""What the pages of questions and answers show, as prepared values.

Templates print these and decide nothing. Quotes are read from their revisions at the moment of the
page. Refuses to read the database or the clock.
"""

from dataclasses import dataclass
from typing import Literal

from documents.pages import Banner, Moment, PageLink, RevisionState, TextPart, TimeBand

AnswerKind = Literal["answered", "refused", "withheld"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskForm:
    """The box: a question, the day it is asked about, and what was wrong with either."""

    action: str
    question: str
    as_of: str
    as_of_type: str
    as_of_changed: bool
    as_of_label: str
    today: str
    longest_chars: int
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AskPage:
    """Context `page` of answers/ask.html: the empty box and ways to begin."""

    form: AskForm
    greeting: str
    readable_label: str
    documents: PageLink
    examples: tuple[PageLink, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationMark:
    """A number behind a claim; opens the source at its span and shows the quoted words before."""

    number: int
    url: str
    anchor: str
    label: str
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimText:
    """One claim of the answer and the citations that carry it; its parts join up to its text."""

    parts: tuple[TextPart, ...]
    language: str
    marks: tuple[CitationMark, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceCard:
    """One cited source, in citation order; the marked parts of `quote` are the cited words."""

    number: int
    anchor: str
    title: str
    language: str
    url: str
    revision_label: str
    interval: str
    state: RevisionState
    heading_path: tuple[str, ...]
    quote: tuple[TextPart, ...]
    band: TimeBand
    page_label: str = ""
    superseded: Banner | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WithheldSource:
    """A citation that its reader may no longer read; nothing about it is told but its number."""

    number: int
    anchor: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPassage:
    """A passage that was found and not cited."""

    title: str
    language: str
    url: str
    revision_label: str
    heading_path: tuple[str, ...]
    excerpt: str
    page_label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalText:
    """Why there is no answer, what was searched, and what may be done next."""

    code: str
    headline: str
    explanation: str
    searched: tuple[str, ...]
    steps: tuple[PageLink, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPage:
    """Context `page` of answers/answer.html: one question with its answer or refusal."""

    kind: AnswerKind
    form: AskForm
    question: str
    asked: Moment
    as_of: Moment
    as_of_changed: bool
    ask_today: PageLink | None
    query_id: str
    claims: tuple[ClaimText, ...] = ()
    sources: tuple[SourceCard, ...] = ()
    withheld: tuple[WithheldSource, ...] = ()
    found: tuple[FoundPassage, ...] = ()
    refusal: RefusalText | None = None
    notices: tuple[Banner, ...] = ()
    facts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEntry:
    """One question of the reader's own."""

    question: str
    url: str
    asked: Moment
    as_of_label: str
    kind: AnswerKind
    outcome_label: str
    citations_label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryDay:
    """The questions of one day, newest first."""

    label: str
    entries: tuple[HistoryEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryPage:
    """Context `page` of answers/history.html."""

    days: tuple[HistoryDay, ...]
    count_label: str
    ask: PageLink
    newer: PageLink | None = None
    older: PageLink | None = None
