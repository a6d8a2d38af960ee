"""Split by the coarsest separator that helps, then by finer ones. Offsets only."""

from collections.abc import Iterator

import regex

from retrieval.splitting.graphemes import Graphemes
from retrieval.types import Span

# Coarse to fine: paragraphs, lines, sentences, words.
_SEPARATORS = tuple(
    regex.compile(pattern)
    for pattern in (r"\n[^\S\n]*+\n\s*+", r"\n\s*+", r"[.!?]++\s++|[。！？]++\s*+", r"\s++")
)


def recursive_spans(text: str, *, max_chars: int) -> Iterator[Span]:
    """Give spans of at most `max_chars` characters that join up to the text exactly.

    Shapes: none is empty; empty text gives none; neighbours are merged while they fit.
    Invariant: no cut falls inside a grapheme that fits into `max_chars`.
    Raises: ValueError unless `max_chars` is a whole number above 0; booleans are refused.
    """
    if isinstance(max_chars, bool) or not isinstance(max_chars, int) or max_chars < 1:
        raise ValueError(f"max_chars must be a whole number above 0, not {max_chars!r}")
    graphemes = Graphemes(text)
    yield from _merge(_split(text, (0, len(text)), graphemes, max_chars, level=0), max_chars)


def _split(
    text: str, span: Span, graphemes: Graphemes, max_chars: int, *, level: int
) -> Iterator[Span]:
    start, end = span
    if start == end:
        return
    if end - start <= max_chars:
        yield span
    elif level == len(_SEPARATORS):
        yield from _hard_cuts(span, graphemes, max_chars)
    else:
        for match in _SEPARATORS[level].finditer(text, start, end):
            if match.end() > start and graphemes.is_boundary(match.end()):
                part = (start, match.end())
                yield from _split(text, part, graphemes, max_chars, level=level + 1)
                start = match.end()
        yield from _split(text, (start, end), graphemes, max_chars, level=level + 1)


def _hard_cuts(span: Span, graphemes: Graphemes, max_chars: int) -> Iterator[Span]:
    start, end = span
    while start < end:
        cut = min(end, graphemes.at_or_before(min(end, start + max_chars), above=start))
        cut = min(cut, start + max_chars)
        yield start, cut
        start = cut


def _merge(spans: Iterator[Span], max_chars: int) -> Iterator[Span]:
    held: Span | None = None
    for span in spans:
        if held is not None and span[1] - held[0] <= max_chars:
            held = (held[0], span[1])
        else:
            if held is not None:
                yield held
            held = span
    if held is not None:
        yield held
