"""Join neighbouring spans whose vectors are alike. Takes vectors, loads no model."""

import math
from collections.abc import Iterator, Sequence

from retrieval.splitting.recursive import recursive_spans
from retrieval.types import Span


def semantic_spans(
    text: str,
    spans: Sequence[Span],
    vectors: Sequence[Sequence[float]],
    *,
    threshold: float,
    max_chars: int,
) -> Iterator[Span]:
    """Join each span to the one before it where their cosine is at least `threshold`.

    Shapes: consecutive spans and a vector for each -> fewer spans over the same text; a group
    beyond `max_chars` is split by structure.
    Raises: ValueError for a vector that is zero or not finite, or another number of vectors.
    """
    lengths = [_length(vector) for vector in vectors]
    if len(spans) != len(vectors):
        raise ValueError(f"{len(spans)} spans need {len(spans)} vectors, not {len(vectors)}")
    start = 0
    for place in range(1, len(spans) + 1):
        if place < len(spans):
            dot = sum(a * b for a, b in zip(vectors[place - 1], vectors[place], strict=True))
            if dot / (lengths[place - 1] * lengths[place]) >= threshold:
                continue
        yield from _within(text, (spans[start][0], spans[place - 1][1]), max_chars)
        start = place


def _length(vector: Sequence[float]) -> float:
    length = math.hypot(*vector)
    if length == 0 or not math.isfinite(length):
        raise ValueError("a vector must be finite and not zero to have a direction")
    return length


def _within(text: str, group: Span, max_chars: int) -> Iterator[Span]:
    start, end = group
    for first, last in recursive_spans(text[start:end], max_chars=max_chars):
        yield start + first, start + last
