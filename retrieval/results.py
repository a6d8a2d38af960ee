"""What a search hands on: ranked passages with their place, and how they were found."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from retrieval.types import DensePlan, Question, Span, StageTrace


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedSentence:
    """A sentence of a ranked passage and how near its meaning is to the question.

    Units: offsets are code points of the revision's text; `similarity` is a cosine.
    """

    start: int
    end: int
    similarity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedPassage:
    """A permitted passage in force, in its place in the ranking, with its text.

    Units: `rank`, `lexical_rank` and `dense_rank` count from 1, None where not found that way;
    `score` is the fused score, 0 to 1, comparable within one search only; `similarity` is the
    cosine of passage and question, None where no vectors were compared; `lexical_score` is the
    BM25 score, 0 or more. Scores stay inside the product.
    """

    passage_id: int
    revision_id: int
    document_id: UUID
    document_slug: str
    document_title: str
    revision_number: int
    original_name: str
    language: str
    start: int
    end: int
    text: str
    kind: str
    heading_path: tuple[str, ...]
    section_start: int
    section_end: int
    page: int | None
    rank: int
    lexical_rank: int | None
    dense_rank: int | None
    score: float
    similarity: float | None
    lexical_score: float
    sentences: tuple[RankedSentence, ...] = ()

    @property
    def public_id(self) -> str:
        """Name the passage across re-indexing: document, revision and offsets."""
        return f"{self.document_id}/{self.revision_number}/{self.start}-{self.end}"

    @property
    def span(self) -> Span:
        """The passage's place in its revision."""
        return (self.start, self.end)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """One question's ranked passages and how they were found.

    `permitted_passages` counts the passages that the reader may read and that are in force;
    nothing here counts or names anything hidden. `matched_terms` and `terms` are
    the question's lexemes found in the permitted passages and all of them; `term_weights` say
    how rare each is there.
    """

    question: Question
    as_of: datetime
    index_id: int
    plan: DensePlan
    permitted_passages: int
    passages: tuple[RankedPassage, ...]
    traces: tuple[StageTrace, ...]
    terms: tuple[str, ...]
    matched_terms: tuple[str, ...]
    term_weights: Mapping[str, float]
