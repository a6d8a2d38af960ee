"""The settings of retrieval: one frozen value, bounded, read from django settings RETRIEVAL."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, Literal, get_args

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from retrieval.bm25 import Bm25Params
from retrieval.types import SplitterParams

PrecisionChoice = Literal["auto", "float32", "bfloat16"]
FusionChoice = Literal["ranks", "scores", "shares"]

_BOUNDS: dict[str, tuple[float, float]] = {
    "max_tokens": (32, 8192),
    "prefix_tokens": (0, 512),
    "overlap_tokens": (0, 4096),
    "merge_below_tokens": (0, 8192),
    "max_chars": (100, 100_000),
    "overlap_chars": (0, 50_000),
    "semantic_threshold": (-1, 1),
    "k1": (0, 10),
    "b": (0, 1),
    "pivot": (1, 100_000),
    "rank_constant": (0.001, 10_000),
    "lexical_weight": (0, 100),
    "dense_weight": (0, 100),
    "foreign_dense_weight": (0, 100),
    "pool_size": (10, 1000),
    "rerank_size": (0, 200),
    "sentence_weight": (0, 100),
    "embedding_batch": (1, 1024),
    "embedding_threads": (0, 256),
    "exact_limit": (0, 10_000_000),
    "graph_candidates": (10, 1000),
    "graph_max_scan_tuples": (1000, 10_000_000),
    "graph_m": (2, 100),
    "graph_ef_construction": (4, 1000),
    "lexical_budget": (100, 10_000_000),
    "most_overlap": (0, 1),
    "question_chars": (100, 100_000),
    "question_lexemes": (1, 1000),
    "statement_timeout_ms": (100, 600_000),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalConfig:
    """Every knob of retrieval; docs/settings.md says what each means and in which unit."""

    embedder_path: str = ""
    embedder_name: str = "all-MiniLM-L6-v2"
    embedder_languages: tuple[str, ...] = ("en",)
    embedder_precision: PrecisionChoice = "auto"
    embedding_batch: int = 16
    embedding_threads: int = 0
    splitting_scheme: str = "structure"
    max_tokens: int = 250
    prefix_tokens: int = 64
    overlap_tokens: int = 40
    merge_below_tokens: int = 200
    max_chars: int = 2000
    overlap_chars: int = 200
    semantic_threshold: float = 0.4
    k1: float = 1.2
    b: float = 0.75
    pivot: float = 100.0
    fusion: FusionChoice = "shares"
    rank_constant: float = 60.0
    lexical_weight: float = 1.0
    dense_weight: float = 0.85
    foreign_dense_weight: float = 0.0
    pool_size: int = 200
    rerank_size: int = 0
    sentence_weight: float = 0.0
    exact_limit: int = 40_000
    graph_candidates: int = 1000
    graph_max_scan_tuples: int = 40_000
    graph_m: int = 40
    graph_ef_construction: int = 300
    lexical_budget: int = 20_000
    most_overlap: float = 0.5
    question_chars: int = 4000
    question_lexemes: int = 64
    statement_timeout_ms: int = 10_000

    def __post_init__(self) -> None:
        for name, (lowest, highest) in _BOUNDS.items():
            _check_number(name, getattr(self, name), lowest, highest)
        _check_choice("embedder_precision", self.embedder_precision, get_args(PrecisionChoice))
        _check_choice("fusion", self.fusion, get_args(FusionChoice))
        # Built once here so that an impossible combination stops the start, not a request.
        _ = (self.splitter, self.bm25)

    @property
    def splitter(self) -> SplitterParams:
        """Give the parameters of splitting."""
        return SplitterParams(
            scheme=self.splitting_scheme,
            max_tokens=self.max_tokens,
            prefix_tokens=self.prefix_tokens,
            overlap_tokens=self.overlap_tokens,
            merge_below_tokens=self.merge_below_tokens,
            max_chars=self.max_chars,
            overlap_chars=self.overlap_chars,
            threshold=self.semantic_threshold,
        )

    @property
    def bm25(self) -> Bm25Params:
        """Give the parameters of BM25."""
        return Bm25Params(k1=self.k1, b=self.b, pivot=self.pivot)


def read_config(values: Mapping[str, object]) -> RetrievalConfig:
    """Turn a dict of settings into the frozen configuration; absent keys keep their defaults.

    Raises: ImproperlyConfigured for an unknown key, another type or a value out of bounds.
    """
    kinds = {field.name: type(field.default) for field in fields(RetrievalConfig)}
    unknown = sorted(set(values) - set(kinds))
    if unknown:
        raise ImproperlyConfigured(f"RETRIEVAL has unknown keys: {', '.join(unknown)}")
    try:
        return RetrievalConfig(**{name: _typed(name, values[name], kinds[name]) for name in values})
    except ValueError as error:
        raise ImproperlyConfigured(f"RETRIEVAL: {error}") from error


def retrieval_config() -> RetrievalConfig:
    """Give the configuration of this process, as django settings have it now."""
    values = getattr(settings, "RETRIEVAL", {})
    return _cached_config(tuple(sorted((name, _hashable(value)) for name, value in values.items())))


@lru_cache(maxsize=8)
def _cached_config(items: tuple[tuple[str, object], ...]) -> RetrievalConfig:
    return read_config(dict(items))


def _hashable(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _typed(name: str, value: object, kind: type) -> Any:
    match value:
        case bool():
            raise ImproperlyConfigured(f"RETRIEVAL: {name} must not be a boolean")
        case int() if kind is float:
            return float(value)
        case list() | tuple() if kind is tuple and all(isinstance(part, str) for part in value):
            return tuple(value)
        case _ if isinstance(value, kind) and kind is not tuple:
            return value
        case _:
            raise ImproperlyConfigured(f"RETRIEVAL: {name} must be of type {kind.__name__}")


def _check_number(name: str, value: float, lowest: float, highest: float) -> None:
    if not lowest <= value <= highest:
        raise ValueError(f"{name} must lie between {lowest} and {highest}, not {value!r}")


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, not {value!r}")
