"""Values on the way from evidence to an answer. They check themselves; no models, no settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal
from uuid import UUID

from retrieval.evidence import Evidence
from retrieval.types import SearchFilters


class RefusalReason(StrEnum):
    """Why there is no answer. Codes are stable; a refusal is a result, not an error."""

    NOTHING_TO_SEARCH_FOR = "nothing_to_search_for"
    NO_EVIDENCE = "no_evidence"
    LOW_RETRIEVAL_CONFIDENCE = "low_retrieval_confidence"
    INSUFFICIENT_CONTEXT = "insufficient_context"
    UNVERIFIED_CLAIM = "unverified_claim"
    EVIDENCE_WITHDRAWN = "evidence_withdrawn"
    TIME_BUDGET = "time_budget"
    OVER_BUDGET = "over_budget"
    INVALID_QUESTION = "invalid_question"


class Fault(StrEnum):
    """Why a citation or a claim must not leave the system."""

    NO_CITATION = "no_citation"
    NOT_OFFERED = "not_offered"
    QUOTE_DIFFERS = "quote_differs"
    NUMBER_UNSUPPORTED = "number_unsupported"
    UNIT_UNSUPPORTED = "unit_unsupported"
    NEGATION_DIFFERS = "negation_differs"
    WORDS_UNSUPPORTED = "words_unsupported"


Verdict = Literal["quoted", "supported"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredSentence:
    """A sentence of the evidence and how well it answers, within one question.

    Units: `evidence` and `place` are its passage and its own place there, from 0; `similarity` is
    a cosine, None where no vectors that mean something were compared; `score` has no unit, higher
    is better.
    """

    evidence: int
    place: int
    text: str
    similarity: float | None
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """All that a writer is given: the question, packed evidence, its sentences best first."""

    question: str
    evidence: tuple[Evidence, ...]
    sentences: tuple[ScoredSentence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedSpan:
    """A span of a revision's text that carries a claim, with the words that stand there.

    Units: offsets are code points, half-open.
    """

    revision_id: int
    start: int
    end: int
    quote: str

    def __post_init__(self) -> None:
        """Refuse what is no span."""
        if not 0 <= self.start < self.end:
            raise ValueError(f"not a span: {self.start} to {self.end}")


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftClaim:
    """One claim as its writer made it; `text` is None where the claim is its quotes."""

    spans: tuple[CitedSpan, ...]
    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a writer hands over before anyone has checked it."""

    claims: tuple[DraftClaim, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentReference:
    """The document that a citation or a passage belongs to."""

    id: UUID
    slug: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCitation:
    """A pointer from an answer to the exact words of a revision, as its reader sees it.

    Units: `n` counts from 1; `revision` is the revision's number; offsets are code points;
    `superseded_since` is the moment at which the revision went out of force, None while it is in
    force or still to come.
    """

    n: int
    document: DocumentReference
    revision: int
    start: int
    end: int
    quote: str
    page: int | None
    heading_path: tuple[str, ...]
    url: str
    superseded_since: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerClaim:
    """One claim and the numbers of the citations that carry it."""

    text: str
    citations: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPassage:
    """A passage that was found for the question; `cited` where a citation points into it.

    Units: ranks count from 1; None where not found that way. `id` survives re-indexing.
    """

    id: str
    document: DocumentReference
    revision: int
    start: int
    end: int
    text: str
    rank: int
    lexical_rank: int | None
    dense_rank: int | None
    cited: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Completeness:
    """How many passages the reader was permitted, up to the exact limit, and how they were met."""

    permitted_passages: int
    dense_plan: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerResponse:
    """An answer or a refusal, as it leaves the system.

    Invariant: a refusal has a reason, no answer, no claims and no citations; an answer has at
    least one claim, and each claim at least one citation. Units: `confidence` is calibrated, 0 to
    1; timings are milliseconds by stage.
    """

    query_id: UUID
    question: str
    as_of: datetime
    filters: SearchFilters
    answer: str | None
    claims: tuple[AnswerClaim, ...]
    citations: tuple[AnswerCitation, ...]
    passages: tuple[AnswerPassage, ...]
    refused: bool
    refusal_reason: RefusalReason | None
    confidence: float
    completeness: Completeness
    timings_ms: Mapping[str, float]
    tokens: Mapping[str, int]
    writer: str
    cached: bool = False

    def __post_init__(self) -> None:
        """Refuse an answer without claims and a refusal with any."""
        if self.refused != (self.refusal_reason is not None):
            raise ValueError("a refusal has a reason, an answer has none")
        if self.refused and (self.claims or self.citations or self.answer is not None):
            raise ValueError("a refusal carries no claims")
        if not self.refused and not self.claims:
            raise ValueError("an answer carries at least one claim")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReopenedAnswer:
    """A stored answer as its asker may see it now.

    Shapes: `withheld` are the numbers of the citations whose words may no longer be shown; they
    are not in `response`. Where everything was lost, `response` is a refusal
    (`evidence_withdrawn`).
    """

    response: AnswerResponse
    asked_at: datetime
    withheld: tuple[int, ...] = field(default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEntry:
    """One question of the reader's own, without its answer."""

    query_id: UUID
    question: str
    asked_at: datetime
    as_of: datetime
    refused: bool
    refusal_reason: RefusalReason | None
    citation_count: int
