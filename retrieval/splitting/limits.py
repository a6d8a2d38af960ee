"""The limits of a passage, and how to cut what exceeds them, at words where there are any."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import regex

from retrieval.protocols import TokenCounter
from retrieval.splitting.graphemes import Graphemes
from retrieval.splitting.outline import Outline
from retrieval.splitting.wording import passage_prefix
from retrieval.types import Span, SplitterParams

_LAST_SPACE = regex.compile(r"(?r)\s")
_GUESSED_CHARS_PER_TOKEN = 4


class Piece(NamedTuple):
    """A span within the limits and the tokens of its own text."""

    start: int
    end: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """One text, and how much of it may stand in one passage of each section.

    Units: `own_tokens` is what title and headings leave of `max_tokens`, section by section.
    """

    text: str
    graphemes: Graphemes
    params: SplitterParams
    count_tokens: TokenCounter
    own_tokens: Sequence[int]

    def cut_to_fit(self, span: Span, *, max_tokens: int) -> Iterator[Piece]:
        """Cut a span into consecutive pieces within `max_tokens` and `max_chars`.

        Shapes: the pieces join up to the span; reads each character a few times at most.
        Invariant: no cut falls inside a grapheme, unless one grapheme alone exceeds the limits.
        """
        start, end = span
        width = min(self.params.max_chars, max_tokens * _GUESSED_CHARS_PER_TOKEN)
        while start < end:
            is_short = end - start <= self.params.max_chars
            cut = end if is_short else self._cut(start, start + width, end)
            while (tokens := self._count(start, cut)) > max_tokens and cut - start > 1:
                shorter = max(1, (cut - start) * max_tokens // (tokens + 1))
                cut = self._cut(start, start + shorter, cut)
            yield Piece(start, cut, tokens)
            start = cut

    def _count(self, start: int, end: int) -> int:
        return self.count_tokens(self.text[start:end])

    def _cut(self, start: int, wanted: int, end: int) -> int:
        """Find the best place to cut up to `wanted`, or, if that is reached first, the end."""
        if wanted >= end:
            return end
        space = _LAST_SPACE.search(self.text, start + (wanted - start) // 2, wanted)
        if space is not None and self.graphemes.is_boundary(space.end()):
            return int(space.end())
        cut = self.graphemes.at_or_before(wanted, above=start)
        return cut if cut < end else wanted


def limits_of(
    text: str,
    outline: Outline,
    *,
    title: str,
    params: SplitterParams,
    count_tokens: TokenCounter,
) -> Limits:
    """Measure title and headings of every section."""
    return Limits(
        text=text,
        graphemes=Graphemes(text),
        params=params,
        count_tokens=count_tokens,
        own_tokens=[
            params.max_tokens
            - count_tokens(
                passage_prefix(
                    title, section.heading_path, params=params, count_tokens=count_tokens
                )
            )
            for section in outline.sections
        ],
    )
