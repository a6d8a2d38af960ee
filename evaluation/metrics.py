"""Measures over spans, ranked ids and numbers: pure arithmetic, no database.

Every measure says what it divides by. Where that is nothing the measure is undefined, which is
None: never 0, never 1.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import groupby
from typing import TypeVar

import numpy as np

from evaluation.types import FileSpan

DEFAULT_RESAMPLES = 2000
DEFAULT_SEED = 20260401
CONFIDENCE_LEVEL = 0.95

Id = TypeVar("Id", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over questions and over how many of them it was taken; `value=None`: over none."""

    value: float | None
    denominator: int


# Spans


def merge_spans(spans: Iterable[FileSpan]) -> list[FileSpan]:
    """Return disjoint spans, in order, that cover the same characters."""
    merged: list[FileSpan] = []
    for span in sorted(span for span in spans if span.chars):
        last = merged[-1] if merged else None
        if last is not None and last.file == span.file and span.start <= last.end:
            merged[-1] = FileSpan(last.file, last.start, max(last.end, span.end))
        else:
            merged.append(span)
    return merged


def count_chars(spans: Iterable[FileSpan]) -> int:
    """Count the distinct characters of the spans."""
    return sum(span.chars for span in merge_spans(spans))


def count_shared_chars(gold: Iterable[FileSpan], found: Iterable[FileSpan]) -> int:
    """Count the distinct characters that are in both."""
    found_by_file = {
        file: list(spans) for file, spans in groupby(merge_spans(found), key=lambda span: span.file)
    }
    return sum(
        max(0, min(wanted.end, span.end) - max(wanted.start, span.start))
        for wanted in merge_spans(gold)
        for span in found_by_file.get(wanted.file, [])
    )


def span_coverage(gold: Sequence[FileSpan], found: Sequence[FileSpan]) -> float | None:
    """Return the share of the gold characters that were found; over the gold characters."""
    return _share(count_shared_chars(gold, found), count_chars(gold))


def span_precision(gold: Sequence[FileSpan], found: Sequence[FileSpan]) -> float | None:
    """Return the share of the found characters that are gold; over the distinct found ones."""
    return _share(count_shared_chars(gold, found), count_chars(found))


def passage_precision(gold: Sequence[FileSpan], passages: Sequence[FileSpan]) -> float | None:
    """Return gold characters over all retrieved ones, each as often as it was retrieved."""
    retrieved = sum(span.chars for span in passages)
    return _share(count_shared_chars(gold, passages), retrieved)


def passage_iou(gold: Sequence[FileSpan], passages: Sequence[FileSpan]) -> float | None:
    """Return gold found over (characters retrieved, repeats included, + gold not found)."""
    shared = count_shared_chars(gold, passages)
    retrieved = sum(span.chars for span in passages)
    return _share(shared, retrieved + count_chars(gold) - shared)


def first_touching(gold: Sequence[FileSpan], passages: Sequence[FileSpan]) -> int | None:
    """Return the rank, from 1, of the first passage with a gold character; None: no passage."""
    for rank, passage in enumerate(passages, start=1):
        if count_shared_chars(gold, [passage]):
            return rank
    return None


# Ranked ids


def any_hit(gold: Set[Id], ranked: Sequence[Id], *, k: int) -> float | None:
    """Return 1 where the first k hold any gold id, else 0; undefined without gold."""
    if not gold:
        return None
    return float(bool(gold & set(first_distinct(ranked, k))))


def recall(gold: Set[Id], ranked: Sequence[Id], *, k: int) -> float | None:
    """Return the share of the gold ids among the first k; over the gold ids."""
    return _share(len(gold & set(first_distinct(ranked, k))), len(gold))


def precision(gold: Set[Id], ranked: Sequence[Id], *, k: int) -> float:
    """Return the share of the first k that is gold; over those retrieved; nothing retrieved: 0."""
    first = first_distinct(ranked, k)
    return _share(len(gold & set(first)), len(first)) or 0.0


def reciprocal_rank(gold: Set[Id], ranked: Sequence[Id]) -> float | None:
    """Return 1 / rank of the first gold id, 0 where none was found; undefined without gold."""
    if not gold:
        return None
    for rank, found in enumerate(first_distinct(ranked, len(ranked)), start=1):
        if found in gold:
            return 1 / rank
    return 0.0


def ndcg(gains: Mapping[Id, float], ranked: Sequence[Id], *, k: int) -> float | None:
    """Return the discounted gain of the first k over that of the best order of all gains.

    Shapes: gains by id, absent ones 0. Undefined where no gain is above 0.
    Source: Järvelin and Kekäläinen 2002, with the logarithm of rank + 1 to base 2.
    """
    best = _discounted(sorted(gains.values(), reverse=True)[:k])
    if not best:
        return None
    return _discounted([gains.get(found, 0.0) for found in first_distinct(ranked, k)]) / best


def context_precision(relevant: Sequence[bool]) -> float:
    """Return the mean of precision at each relevant place; over the relevant places; none: 0."""
    found = 0
    total = 0.0
    for place, is_relevant in enumerate(relevant, start=1):
        if is_relevant:
            found += 1
            total += found / place
    return _share(total, found) or 0.0


def faithfulness(supported: int, claims: int) -> float | None:
    """Return the share of the claims that the evidence supports; undefined without claims."""
    if not 0 <= supported <= claims:
        raise ValueError(f"{supported} of {claims} claims cannot be supported.")
    return _share(supported, claims)


def first_distinct(ranked: Sequence[Id], k: int) -> list[Id]:
    """Return the first k ids, repeats dropped before ranks are given."""
    return list(dict.fromkeys(ranked))[:k]


# Many questions


def macro(values: Iterable[float | None]) -> Mean:
    """Average over the questions for which the measure is defined, and count them."""
    defined = [value for value in values if value is not None]
    return Mean(_share(math.fsum(defined), len(defined)), len(defined))


def micro(parts: Iterable[tuple[float, float]]) -> Mean:
    """Divide the total of the numerators by that of the denominators; count the questions."""
    pairs = list(parts)
    numerator = math.fsum(part for part, _ in pairs)
    return Mean(_share(numerator, math.fsum(whole for _, whole in pairs)), len(pairs))


def percentile(values: Sequence[float], share: float) -> float | None:
    """Return the value below which the share of the values lies, between neighbours linearly."""
    if not 0 <= share <= 1:
        raise ValueError(f"A share lies between 0 and 1, not {share}.")
    return float(np.quantile(np.asarray(values), share)) if values else None


def bootstrap_interval(
    values: Sequence[float],
    *,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = DEFAULT_SEED,
) -> tuple[float, float] | None:
    """Return the 95 % percentile interval of the mean over the questions, resampled.

    Without values it is undefined. The same values and seed give the same interval.
    """
    if not values:
        return None
    sample = np.asarray(values, dtype=float)
    generator = np.random.default_rng(seed)
    picks = sample[generator.integers(0, len(sample), size=(resamples, len(sample)))]
    tail = (1 - CONFIDENCE_LEVEL) / 2
    low, high = np.quantile(picks.mean(axis=1), [tail, 1 - tail])
    return float(low), float(high)


def _discounted(gains: Sequence[float]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None
