"""Cuts a text into runs that are shown, hidden or marked, so that joined they are the text itself.

Knows offsets and Markdown's inline marks; refuses to know blocks. Everything stays text.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from documents.pages import PartKind, TextPart

ANCHOR = "mark"

# Repeats are bounded, so that no text makes the search slow.
INLINE = re.compile(
    r"(?P<code>(?<!`)`(?!`)[^`\n]{1,500}`(?!`))"
    r"|(?P<link>!?\[(?P<words>[^\[\]]{1,500})\]"
    r"\((?P<target>[^()\s]{0,2000}(?:[ \n]\"[^\"\n]{0,300}\")?)\))"
    r"|(?P<strong>\*\*(?=[^\s*])[^*]{1,500}(?<=\S)\*\*)"
    r"|(?P<emphasis>(?<![\w*])\*(?=[^\s*])[^*\n]{1,300}(?<=[^\s*])\*(?![\w*])"
    r"|(?<!\w)_(?=[^\s_])[^_\n]{1,300}(?<=[^\s_])_(?!\w))"
)
LINE = re.compile(r"[^\n]*\n|[^\n]+$")
LINE_EDGE = re.compile(r"[ ]{0,3}(?:(?P<hashes>#{1,6})[ \t]+|>[ ]?|[-*+][ \t]+|(?P<pipe>\|)[ \t]*)")
RULE_CELLS = re.compile(r"[-:| \t]+\n?")
EDGES: dict[str, int] = {"code": 1, "strong": 2, "emphasis": 1}


@dataclass(frozen=True, slots=True)
class Stretch:
    """A run of characters shown in one way. Units: code points, half-open."""

    start: int
    end: int
    kind: PartKind = "plain"


Cut = Callable[[str, int, int], Iterator[Stretch]]


class Marker:
    """Turns stretches into parts and marks a span in them, once from top to bottom.

    Invariant: the parts of consecutive stretches join up to the text; the marked ones to the
    span. What is hidden stays hidden in a marked span, as long as some of the span is seen.
    """

    def __init__(self, text: str, span: tuple[int, int] | None, *, anchor: str = "") -> None:
        """Keep the text, the span to mark, if any, and the id of its first visible part."""
        self._text = text
        self._anchor = anchor
        self._start, self._end = span or (0, 0)
        self._is_seen = False

    def mark(self, stretches: Iterable[Stretch]) -> tuple[TextPart, ...]:
        """Return the parts of stretches that follow on each other."""
        parts: list[TextPart] = []
        for stretch in _merge(stretches):
            for start, end in self._cut(stretch):
                parts.append(self._part(start, end, stretch.kind))
        return tuple(parts)

    def _cut(self, stretch: Stretch) -> Iterator[tuple[int, int]]:
        edges = [stretch.start, stretch.end]
        edges[1:1] = [edge for edge in (self._start, self._end) if edges[0] < edge < edges[-1]]
        yield from itertools.pairwise(edges)

    def _part(self, start: int, end: int, kind: PartKind) -> TextPart:
        words = self._text[start:end]
        if not self._start <= start < self._end:
            return TextPart(text=words, kind=kind)
        # A span of nothing but hidden marks would otherwise show nowhere.
        if kind == "quiet" and (self._is_seen or end < self._end):
            return TextPart(text=words, kind="marked_quiet")
        if kind == "line_end":
            return TextPart(text=words, kind="marked_line_end")
        anchor = "" if self._is_seen else self._anchor
        self._is_seen = True
        return TextPart(text=words, kind="marked", anchor=anchor)


def inline_stretches(text: str, start: int, end: int) -> Iterator[Stretch]:
    """Cut running Markdown into words and the marks around them, which are hidden."""
    place = start
    for match in INLINE.finditer(text, start, end):
        yield Stretch(place, match.start())
        place = match.end()
        if match["link"]:
            yield Stretch(match.start(), match.start("words"), "quiet")
            yield from inline_stretches(text, *match.span("words"))
            yield Stretch(match.end("words"), match.end(), "quiet")
            continue
        kind: PartKind = "code" if match["code"] else "strong" if match["strong"] else "emphasis"
        width = EDGES[kind]
        yield Stretch(match.start(), match.start() + width, "quiet")
        yield from _inside(text, match.start() + width, match.end() - width, kind)
        yield Stretch(match.end() - width, match.end(), "quiet")
    yield Stretch(place, end)


def running_stretches(text: str, start: int, end: int) -> Iterator[Stretch]:
    """Cut Markdown of several lines for a place without blocks, such as a claim.

    Marks at the start of a line are hidden; headings, items and rows keep lines of their own.
    """
    place = start
    for line in LINE.finditer(text, start, end):
        edge = LINE_EDGE.match(text, line.start(), line.end())
        if edge is None:
            continue
        yield from _own_line(text, place, line.start(), inline_stretches)
        yield Stretch(line.start(), edge.end(), "quiet")
        place = edge.end()
        if edge["hashes"]:
            yield from _own_line(text, place, line.end(), _heading_stretches)
            place = line.end()
        elif edge["pipe"] and RULE_CELLS.fullmatch(text, place, line.end()):
            yield Stretch(place, line.end(), "quiet")
            place = line.end()
        elif edge["pipe"]:
            yield from _own_line(text, place, line.end(), _row_stretches)
            place = line.end()
    yield from inline_stretches(text, place, end)


def _own_line(text: str, start: int, end: int, cut: Cut) -> Iterator[Stretch]:
    """Cut a run, and let one of the line ends behind it show."""
    core = start + len(text[start:end].rstrip())
    yield from cut(text, start, core)
    line_end = text.find("\n", core, end)
    if line_end < 0:
        yield Stretch(core, end)
        return
    yield Stretch(core, line_end, "quiet")
    yield Stretch(line_end, line_end + 1, "line_end")
    yield Stretch(line_end + 1, end, "quiet")


def _heading_stretches(text: str, start: int, end: int) -> Iterator[Stretch]:
    return _inside(text, start, end, "strong")


def _row_stretches(text: str, start: int, end: int) -> Iterator[Stretch]:
    """Show the separators between cells, but not the last one."""
    last = start + len(text[start:end].rstrip(" \t|"))
    yield from inline_stretches(text, start, last)
    yield Stretch(last, end, "quiet")


def _inside(text: str, start: int, end: int, kind: PartKind) -> Iterator[Stretch]:
    if kind == "code":
        yield Stretch(start, end, kind)
        return
    for stretch in inline_stretches(text, start, end):
        yield replace(stretch, kind=kind) if stretch.kind == "plain" else stretch


def _merge(stretches: Iterable[Stretch]) -> Iterator[Stretch]:
    """Join neighbours of one kind and drop empty ones."""
    held: Stretch | None = None
    for stretch in stretches:
        if stretch.start >= stretch.end:
            continue
        if held is not None and held.kind == stretch.kind:
            held = Stretch(held.start, stretch.end, held.kind)
            continue
        if held is not None:
            yield held
        held = stretch
    if held is not None:
        yield held
