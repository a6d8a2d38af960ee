"""Fixed windows with overlap, blind to structure: the baseline. Offsets only."""

from collections.abc import Iterator

from retrieval.types import Span


def fixed_spans(length: int, *, size: int, overlap: int) -> Iterator[Span]:
    """Give windows of `size` characters that each repeat `overlap` of the one before.

    Shapes: the windows cover 0 .. length; the last may be shorter; no length gives none.
    Raises: ValueError unless 0 <= overlap < size; booleans are refused.
    """
    _check_count("size", size, lowest=1)
    _check_count("overlap", overlap, lowest=0)
    if overlap >= size:
        raise ValueError(f"overlap ({overlap}) must be smaller than size ({size})")
    start = 0
    while start < length:
        end = min(start + size, length)
        yield start, end
        if end == length:
            return
        start = end - overlap


def _check_count(name: str, value: object, *, lowest: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < lowest:
        raise ValueError(f"{name} must be a whole number of at least {lowest}, not {value!r}")
