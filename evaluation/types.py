"""Values between loading a suite, asking its questions and reporting what came of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

NOT_PERMITTED = "not_permitted"


@dataclass(frozen=True, slots=True, order=True)
class FileSpan:
    """Some characters of one file.

    Units: offsets are code points, half-open. `file` is `Revision.original_name`.
    """

    file: str
    start: int
    end: int

    def __post_init__(self) -> None:
        """Refuse a span that ends before it starts."""
        if not 0 <= self.start <= self.end:
            raise ValueError(f"not a span: {self.start} to {self.end}")

    @property
    def chars(self) -> int:
        """Return the number of characters."""
        return self.end - self.start


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldSpan:
    """Where a suite says that the answer stands, with the words that it expects there."""

    span: FileSpan
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One labelled question with the groups of the person who asks it.

    `as_of=None` asks about now. `gold` of an answerable question is what recall is measured
    against; of a `not_permitted` one it is what must not be seen.
    """

    id: str
    family: str
    question: str
    as_of: datetime | None
    asker_groups: frozenset[str]
    answerable: bool
    reason_unanswerable: str | None
    gold: tuple[GoldSpan, ...]

    @property
    def gold_spans(self) -> tuple[FileSpan, ...]:
        """Return the spans that recall is measured against; none where nothing answers."""
        return tuple(gold.span for gold in self.gold) if self.answerable else ()

    @property
    def forbidden_texts(self) -> tuple[str, ...]:
        """Return the texts that must appear nowhere in the response."""
        if self.reason_unanswerable != NOT_PERMITTED:
            return ()
        return tuple(gold.text for gold in self.gold if gold.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class SafetyFindings:
    """What an independent look at one response found; each should count nothing."""

    leaks: int = 0
    wrong_revision: int = 0
    citations_valid: int = 0
    citations_total: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseOutcome:
    """What came of asking one question.

    Units: `passages` are best first, as the search returned them; `answer_chars` counts the
    answer's text, 0 when refused; `embed_ms=None` where the question was not embedded.
    """

    case: Case
    passages: tuple[FileSpan, ...]
    packed: tuple[FileSpan, ...]
    cited: tuple[FileSpan, ...]
    refusal_reason: str | None
    answer_chars: int
    safety: SafetyFindings
    total_ms: float
    embed_ms: float | None

    @property
    def refused(self) -> bool:
        """Whether the response was a refusal."""
        return self.refusal_reason is not None


def answerable_only(outcomes: Iterable[CaseOutcome]) -> list[CaseOutcome]:
    """Return the outcomes of the questions that the evidence answers."""
    return [outcome for outcome in outcomes if outcome.case.answerable]
