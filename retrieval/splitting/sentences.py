"""The sentences of a text: the smallest spans that can be cited. Offsets only, no models."""

from collections.abc import Iterator

import regex

from retrieval.splitting.graphemes import Graphemes
from retrieval.types import Span

LINE_KINDS = frozenset({"code", "table", "front_matter"})

# Every alternative consumes what it looked at, so that no run of marks is read twice.
_BREAK = regex.compile(
    r"(?P<blank>\n[^\S\n]*+\n\s*+)"
    r"|(?P<item>\n(?=[^\S\n]{0,80}+(?:[-*+•|#>]|\p{Nd}{1,3}[.)]|\([\p{L}\p{Nd}]{1,4}\))\s))"
    r"|(?P<final>[。！？｡।॥؟۔։።]++[」』”’）】》\)\]]*+)"
    r"|(?P<stop>[.!?…]++[\"'”’»)\]*_]*+)"
)
_LINE = regex.compile(r"[^\n]*+(?:\n\s*+)?+")
_LAST_WORD = regex.compile(r"[\p{L}\p{Nd}.]++$")
_LINE_NUMBER = regex.compile(r"(?:^|\n)[^\S\n]*+[-*+>]?+[^\S\n]*+\p{Nd}{1,3}$")
_NEXT = regex.compile(r"\s*+([*_\"'“‘(\[]*+)(\S)")
_WORD_CHARACTER = regex.compile(r"[\p{L}\p{N}]")
_LOOK_BACK_CHARS = 40
_LOOK_AHEAD_CHARS = 200
_ABBREVIATED = """
approx art bspw bzw ca cf co corp d.h dept dr e.g eg etc evtl ex fig figs gen ggf i.e ie inc incl
jr lt ltd mr mrs ms mt prof rev sen sr st u.a usw vgl viz vs z.b
"""
_ABBREVIATIONS = frozenset(_ABBREVIATED.split())
# Short for "number" only where a number follows; otherwise a word that ends a sentence.
_BEFORE_NUMBERS = frozenset({"no", "nos", "sec", "art", "p", "pp", "nr", "fig", "vol"})


def sentence_spans(text: str, start: int, end: int, *, kind: str) -> list[Span]:
    """Give the sentences between two offsets, without the whitespace around them.

    Shapes: in order, disjoint; every character but whitespace is in one of them; rows of tables,
    lines of code and items of lists stand for themselves.
    Invariant: no span begins or ends inside a grapheme of the given part.
    """
    part = text[start:end]
    cuts = _line_ends(part) if kind in LINE_KINDS else _sentence_ends(part)
    graphemes = Graphemes(part)
    spans: list[Span] = []
    reached = 0
    for cut in [*cuts, len(part)]:
        following = _skip_space(part, cut)
        if cut < len(part) and not (
            graphemes.is_boundary(cut) and graphemes.is_boundary(following)
        ):
            continue
        span = _trimmed(part, reached, cut)
        reached = cut
        if span is not None:
            _add(spans, span, part)
    return [(start + first, start + last) for first, last in spans]


def _add(spans: list[Span], span: Span, part: str) -> None:
    """Keep what holds no word, such as the rule below a table's head, with its neighbour."""
    if spans and not (_has_word(part, span) and _has_word(part, spans[-1])):
        spans[-1] = (spans[-1][0], span[1])
    else:
        spans.append(span)


def _has_word(part: str, span: Span) -> bool:
    return _WORD_CHARACTER.search(part, span[0], span[1]) is not None


def _trimmed(part: str, start: int, end: int) -> Span | None:
    first = _skip_space(part, start)
    if first >= end:
        return None
    return first, first + len(part[first:end].rstrip())


def _skip_space(part: str, position: int) -> int:
    while position < len(part) and part[position].isspace():
        position += 1
    return position


def _line_ends(part: str) -> Iterator[int]:
    for match in _LINE.finditer(part):
        if match.end() > match.start():
            yield match.end()


def _sentence_ends(part: str) -> Iterator[int]:
    for match in _BREAK.finditer(part):
        if match["stop"] is None or _ends_sentence(part, match):
            yield match.end()


def _ends_sentence(part: str, match: "regex.Match[str]") -> bool:
    if match.end() < len(part) and not part[match.end()].isspace():
        return False
    following = _NEXT.match(part, match.end(), match.end() + _LOOK_AHEAD_CHARS)
    if following is None:
        return True
    opening = following[2]
    if opening.islower():
        return False
    if match["stop"] != ".":
        return True
    before = part[max(0, match.start() - _LOOK_BACK_CHARS) : match.start()]
    return not (_is_abbreviation(before, opening) or _LINE_NUMBER.search(before))


def _is_abbreviation(before: str, opening: str) -> bool:
    found = _LAST_WORD.search(before)
    if found is None:
        return False
    word = found[0].lower()
    if word in _BEFORE_NUMBERS:
        return opening.isdecimal()
    return (
        word in _ABBREVIATIONS
        or (len(word) == 1 and word.isalpha())
        or ("." in word and all(len(letter) == 1 for letter in word.split(".")))
    )
