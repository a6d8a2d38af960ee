"""Values that travel from a text to its passages and from a question to ranked evidence.

They check themselves and do nothing else. No models, no settings.
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

Vector = list[float]
Span = tuple[int, int]


class SearchMode(StrEnum):
    """Which kinds of candidates a search uses."""

    HYBRID = "hybrid"
    LEXICAL = "lexical"
    DENSE = "dense"


class DensePlan(StrEnum):
    """How the nearest passages were found."""

    NONE = "none"
    EXACT = "exact"
    GRAPH = "graph"
    EXACT_FALLBACK = "exact_fallback"


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageDraft:
    """A span of a text that will become a passage.

    Units: offsets are code points, half-open; `tokens` counts the text as it is embedded, with
    title and heading path, by the tokenizer of the embedder.
    Invariant: the section holds the passage's start; its own text is never longer than the span.
    """

    start: int
    end: int
    kind: str
    heading_path: tuple[str, ...]
    section_start: int
    section_end: int
    tokens: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"not a span: {self.start} to {self.end}")
        if not self.section_start <= self.start < self.section_end:
            raise ValueError(f"the passage at {self.start} starts outside its section")


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionTerms:
    """The distinct lexemes of a question, in the order of their first use; empty: none left."""

    lexemes: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Say whether there is nothing to search for."""
        return not self.lexemes


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFilters:
    """What a question is limited to; an absent filter is None, an empty one admits nothing."""

    documents: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    visibility_groups: tuple[str, ...] | None = None
    languages: tuple[str, ...] | None = None
    effective_from: datetime | None = None
    effective_until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked and how it is to be searched for; who asks and when is the ReadScope's."""

    text: str
    language: str = "und"
    mode: SearchMode = SearchMode.HYBRID
    limit: int = 10
    filters: SearchFilters = field(default_factory=SearchFilters)
    exact_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StageTrace:
    """What one stage did: counts of readable passages only, and its milliseconds."""

    name: str
    count_in: int
    count_out: int
    ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitterParams:
    """How a text is split; part of a SearchIndex, so a change means a new index.

    Units: `max_tokens` counts the text as it is embedded, with title and headings, which take
    `prefix_tokens` of it at most; `overlap_tokens` are repeated from the passage before;
    `merge_below_tokens` lets a shorter passage run on past a heading; `max_chars` and
    `overlap_chars` are the windows of the schemes that count characters, and no passage of any
    scheme exceeds `max_chars`; `threshold` is a cosine, for the semantic scheme.
    """

    scheme: str = "structure"
    max_tokens: int = 250
    prefix_tokens: int = 64
    overlap_tokens: int = 40
    merge_below_tokens: int = 0
    max_chars: int = 2000
    overlap_chars: int = 0
    threshold: float = 0.4

    def __post_init__(self) -> None:
        if not 0 <= self.prefix_tokens < self.max_tokens:
            raise ValueError("prefix_tokens must leave room within max_tokens")
        if not 0 <= self.overlap_tokens < self.max_tokens - self.prefix_tokens:
            raise ValueError("overlap_tokens must leave room within max_tokens")
        if not 0 <= self.overlap_chars < self.max_chars:
            raise ValueError("overlap_chars must be smaller than max_chars")
        if not -1 <= self.threshold <= 1:
            raise ValueError("threshold must be a cosine")
