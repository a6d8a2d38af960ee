"""Merge ranked lists of passages. Pure arithmetic: no database, no model.

The search statement computes the same in SQL; a test compares both on random lists.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar


class Ordered(Protocol):
    """What can break a tie and be found again: comparable and hashable."""

    def __lt__(self, other: Any, /) -> bool:
        """Say whether this key goes first in a tie."""

    def __hash__(self) -> int:
        """Identify the key."""


Key = TypeVar("Key", bound=Ordered)


class Scored(NamedTuple, Generic[Key]):
    """A key and its score; higher is better."""

    key: Key
    score: float


def fuse_ranks(
    lists: Sequence[Sequence[Key]],
    *,
    constant: float,
    weights: Sequence[float] | None = None,
) -> list[Scored[Key]]:
    """Merge ranked lists by the weighted sum of reciprocal ranks.

    Shapes: n lists of keys, best first, repeats after the first dropped before ranks are given
    -> one list, best first.
    Units: no unit, 0 < score <= sum of weights / (constant + 1); ties go to the lower key.
    Raises: ValueError unless the constant is a finite number above 0 and each list has a weight.
    Source: Cormack, Clarke, Buettcher 2009 (reciprocal rank fusion).
    """
    _check_constant(constant)
    scores: dict[Key, float] = {}
    for keys, weight in zip(lists, _check_weights(weights, len(lists)), strict=True):
        if weight == 0:
            continue
        for rank, key in enumerate(dict.fromkeys(keys), start=1):
            scores[key] = scores.get(key, 0.0) + weight / (constant + rank)
    return _best_first(scores.items())


def fuse_scores(
    lists: Sequence[Sequence[Scored[Key]]],
    *,
    weights: Sequence[float] | None = None,
) -> list[Scored[Key]]:
    """Merge scored lists by the weighted sum of scores, each list stretched to 0 .. 1.

    Shapes: n lists in any order, of a repeated key only the first counts -> one list, best first.
    Units: no unit, 0 <= score <= sum of weights; a list of equal scores gives 1 to each; a key
    that a list lacks gets 0 from it; ties go to the lower key.
    Raises: ValueError unless each list has a weight and every score is finite.
    """
    scores: dict[Key, float] = {}
    for members, weight in zip(lists, _check_weights(weights, len(lists)), strict=True):
        if weight == 0:
            continue
        for key, stretched in _stretch(members):
            scores[key] = scores.get(key, 0.0) + weight * stretched
    return _best_first(scores.items())


def fuse_shares(
    words: Sequence[Scored[Key]],
    meaning: Sequence[Scored[Key]],
    *,
    question_total: float,
    weights: Sequence[float] = (1.0, 1.0),
) -> list[Scored[Key]]:
    """Merge BM25 scores as shares of the question's total weight with stretched similarities.

    A question whose words a passage holds is then led by words, one in other words by meaning;
    a plain stretch gives the best match by words the same 1, however little it matched.

    Shapes: as `fuse_scores`, with two lists; `question_total` sums the question's weights.
    Units: no unit; a share is 0 to k1 + 1, a stretched similarity 0 to 1, each times its weight.
    Raises: ValueError unless the total is a finite number above 0; otherwise as `fuse_scores`.
    """
    if not (math.isfinite(question_total) and question_total > 0):
        raise ValueError(f"a question's total must be finite and above 0, not {question_total!r}")
    for_words, for_meaning = _check_weights(weights, 2)
    shares = {key: for_words * score / question_total for key, score in reversed(words)}
    scores = shares if for_words else {}
    if for_meaning:
        for key, stretched in _stretch(meaning):
            scores[key] = scores.get(key, 0.0) + for_meaning * stretched
    return _best_first(scores.items())


def _stretch(members: Sequence[Scored[Key]]) -> Iterator[tuple[Key, float]]:
    first: dict[Key, float] = {}
    for key, score in members:
        if not math.isfinite(score):
            raise ValueError(f"a score must be finite, not {score!r}")
        first.setdefault(key, score)
    if not first:
        return
    lowest, highest = min(first.values()), max(first.values())
    for key, score in first.items():
        yield key, 1.0 if highest == lowest else (score - lowest) / (highest - lowest)


def _best_first(scores: Iterable[tuple[Key, float]]) -> list[Scored[Key]]:
    by_key = sorted(scores, key=lambda item: item[0])
    return [Scored(key, score) for key, score in sorted(by_key, key=lambda item: -item[1])]


def _check_constant(constant: object) -> None:
    match constant:
        case bool():
            raise ValueError("the constant of reciprocal rank fusion must not be a boolean")
        case int() | float() if math.isfinite(constant) and constant > 0:
            return
        case _:
            raise ValueError(
                "the constant of reciprocal rank fusion must be a finite number above 0, "
                f"not {constant!r}"
            )


def _check_weights(weights: Sequence[float] | None, count: int) -> Sequence[float]:
    if weights is None:
        return [1.0] * count
    if len(weights) != count:
        raise ValueError(f"{count} lists need {count} weights, not {len(weights)}")
    for weight in weights:
        if isinstance(weight, bool) or not (math.isfinite(weight) and weight >= 0):
            raise ValueError(f"a weight must be a finite number of at least 0, not {weight!r}")
    return weights
