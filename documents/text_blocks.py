"""A revision's text as blocks to read: headings, lists, tables, code, quotes, all of it as text.

Invariant: the parts of the blocks of a window, joined in order, are the text of the window. Refuses
to render: what is shown and what is hidden is said by the kind of each part.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from documents.extraction.types import Block, Heading, Layout
from documents.pages import BlockKind, TableRow, TextBlock, TextLine, TextPart
from documents.text_marking import ANCHOR, Marker, Stretch, inline_stretches

MARKDOWN_SUFFIXES = frozenset({".md", ".markdown"})
WINDOW_CHARS = 40_000
DEEPEST_LINE = 3
USUAL_LEVEL = 2

OPENING_HASHES = re.compile(r"[ ]{0,3}#{1,6}(?:[ \t]+|(?=\n|$))")
CLOSING_HASHES = re.compile(r"[ \t]+#{1,20}[ \t]*$|\n[ ]{0,3}(?:=+|-+)[ \t]*$")
ITEM = re.compile(r"(?P<indent>[ \t]*)(?P<mark>[-*+•‣◦]|\d{1,9}[.)]|[A-Za-z][.)])(?P<gap>[ \t]+)")
FENCE_OPEN = re.compile(r"[ ]{0,3}(?:`{3,}|~{3,})[^\n]*\n")
FENCE_CLOSE = re.compile(r"\n[ ]{0,3}(?:`{3,}|~{3,})[ \t]*$")
QUOTE_EDGE = re.compile(r"^[ ]{0,3}>[ ]?", re.MULTILINE)
CELL_EDGE = re.compile(r"(?<!\\)\|")
RULE_ROW = re.compile(r"[ \t]*\|?[ \t]*:?-+[ \t:|-]*$")
LINE = re.compile(r"[^\n]*\n|[^\n]+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A part of a text that is shown at once; `index` counts from 0."""

    index: int
    total: int
    start: int
    end: int


def is_markdown(original_name: str) -> bool:
    """Whether a file of this name was read as Markdown, so that its marks can be hidden."""
    return PurePath(original_name.strip()).suffix.lower() in MARKDOWN_SUFFIXES


def split_windows(text: str, layout: Layout, *, size: int = WINDOW_CHARS) -> tuple[Window, ...]:
    """Cut a long text into windows of whole blocks; a block longer than that is cut at a line."""
    starts = [block.start for block in layout.blocks]
    edges = [0]
    while len(text) - edges[-1] > size:
        edges.append(_next_edge(text, starts, edges[-1], size))
    edges.append(len(text))
    spans = list(itertools.pairwise(edges))
    return tuple(
        Window(index=index, total=len(spans), start=start, end=end)
        for index, (start, end) in enumerate(spans)
    )


def _next_edge(text: str, starts: list[int], start: int, size: int) -> int:
    last = bisect_right(starts, start + size) - 1
    if last >= 0 and starts[last] > start:
        return starts[last]
    line = text.rfind("\n", start, start + size) + 1
    return line if line > start else start + size


def heading_path_at(layout: Layout, place: int, *, title: str) -> tuple[str, ...]:
    """Return the headings above a place, outermost first, without one that repeats the title."""
    path: list[Heading] = []
    for heading in layout.headings:
        if heading.start > place:
            break
        while path and path[-1].level >= heading.level:
            path.pop()
        path.append(heading)
    titles = tuple(heading.title for heading in path)
    return titles[1:] if titles and titles[0].strip() == title.strip() else titles


def page_label_at(layout: Layout, place: int) -> str:
    """Return the label of the page that a place stands on, empty where there are no pages."""
    index = bisect_right([page.start for page in layout.pages], place) - 1
    return f"Page {layout.pages[index].label}" if index >= 0 else ""


class TextLayout:
    """Lays out a window of one text, marking one span in it."""

    def __init__(
        self, text: str, layout: Layout, *, markdown: bool, span: tuple[int, int] | None
    ) -> None:
        """Keep the text, where its parts stand, and the span to mark."""
        self._text = text
        self._layout = layout
        self._markdown = markdown
        self._marker = Marker(text, span, anchor=ANCHOR)
        self._levels = {heading.start: heading.level for heading in layout.headings}
        self._page_starts = [page.start for page in layout.pages]

    def lay_out(self, window: Window) -> tuple[TextBlock, ...]:
        """Return the blocks of a window in order."""
        return tuple(
            self._block(kind, start, end, until) for kind, start, end, until in self._pieces(window)
        )

    def _pieces(self, window: Window) -> Iterator[tuple[BlockKind, int, int, int]]:
        """Give each block's kind, start, end, and the start of what follows it."""
        blocks = self._blocks_in(window)
        if not blocks:
            if window.start < window.end:
                yield "plain", window.start, window.end, window.end
            return
        for index, block in enumerate(blocks):
            start = max(block.start, window.start) if index else window.start
            following = blocks[index + 1].start if index + 1 < len(blocks) else window.end
            yield block.kind, start, min(block.end, window.end), following

    def _blocks_in(self, window: Window) -> list[Block]:
        blocks = self._layout.blocks
        first = bisect_right([block.end for block in blocks], window.start)
        last = bisect_left([block.start for block in blocks], window.end)
        return list(blocks[first:last])

    def _block(self, kind: BlockKind, start: int, end: int, until: int) -> TextBlock:
        page = self._page_begun(start, until)
        match kind:
            case "list":
                return TextBlock(kind=kind, page=page, lines=tuple(self._lines(start, end, until)))
            case "table":
                return TextBlock(kind=kind, page=page, rows=tuple(self._rows(start, end, until)))
            case "heading":
                stretches, level = self._heading(start, end), self._level(start, end)
                parts = self._parts(stretches, end, until)
                return TextBlock(kind=kind, page=page, level=level, parts=parts)
            case "code":
                stretches = self._code(start, end)
            case "quote":
                stretches = self._quote(start, end)
            case "paragraph":
                stretches = self._inline(start, end)
            case _:
                stretches = iter([Stretch(start, end)])
        return TextBlock(kind=kind, page=page, parts=self._parts(stretches, end, until))

    def _parts(self, stretches: Iterator[Stretch], end: int, until: int) -> tuple[TextPart, ...]:
        """Mark stretches and, hidden, the empty lines after them."""
        return self._marker.mark([*stretches, Stretch(end, until, "quiet")])

    def _inline(self, start: int, end: int) -> Iterator[Stretch]:
        if self._markdown:
            yield from inline_stretches(self._text, start, end)
        else:
            yield Stretch(start, end)

    def _heading(self, start: int, end: int) -> Iterator[Stretch]:
        opening = OPENING_HASHES.match(self._text, start, end) if self._markdown else None
        begin = opening.end() if opening else start
        closing = CLOSING_HASHES.search(self._text, begin, end) if self._markdown else None
        stop = closing.start() if closing else end
        yield Stretch(start, begin, "quiet")
        yield from self._inline(begin, stop)
        yield Stretch(stop, end, "quiet")

    def _level(self, start: int, end: int) -> int:
        for place in range(start, min(end, start + 4)):
            if place in self._levels:
                return self._levels[place]
        return USUAL_LEVEL

    def _code(self, start: int, end: int) -> Iterator[Stretch]:
        opening = FENCE_OPEN.match(self._text, start, end) if self._markdown else None
        begin = opening.end() if opening else start
        closing = FENCE_CLOSE.search(self._text, begin - 1, end) if opening else None
        stop = max(closing.start(), begin) if closing else end
        yield Stretch(start, begin, "quiet")
        yield Stretch(begin, stop)
        yield Stretch(stop, end, "quiet")

    def _quote(self, start: int, end: int) -> Iterator[Stretch]:
        place = start
        if self._markdown:
            for edge in QUOTE_EDGE.finditer(self._text, start, end):
                yield from self._inline(place, edge.start())
                yield Stretch(edge.start(), edge.end(), "quiet")
                place = edge.end()
        yield from self._inline(place, end)

    def _lines(self, start: int, end: int, until: int) -> Iterator[TextLine]:
        indents: list[int] = []
        items = list(self._items(start, end))
        for index, (begin, match) in enumerate(items):
            is_last = index + 1 == len(items)
            stop = end if is_last else items[index + 1][0]
            marker: tuple[TextPart, ...] = ()
            content = begin
            if match is not None:
                content = match.end()
                indent = len(match["indent"].expandtabs(4))
                while indents and indents[-1] > indent:
                    indents.pop()
                if not indents or indents[-1] < indent:
                    indents.append(indent)
                marker = self._marker.mark(_marker_stretches(match))
            parts = self._parts(self._inline(content, stop), stop, until if is_last else stop)
            depth = min(max(len(indents) - 1, 0), DEEPEST_LINE)
            yield TextLine(marker=marker, depth=depth, parts=parts)

    def _items(self, start: int, end: int) -> Iterator[tuple[int, re.Match[str] | None]]:
        """Give where each item begins; lines without a mark of their own go on with the last."""
        for line in LINE.finditer(self._text, start, end):
            match = ITEM.match(self._text, line.start(), line.end())
            if match is not None or line.start() == start:
                yield line.start(), match

    def _rows(self, start: int, end: int, until: int) -> Iterator[TableRow]:
        lines = [match.span() for match in LINE.finditer(self._text, start, end)]
        rules = {
            index
            for index, (begin, stop) in enumerate(lines)
            if self._markdown and RULE_ROW.match(self._text[begin:stop].rstrip("\n"))
        }
        for index, (begin, stop) in enumerate(lines):
            if index in rules and index > 0:
                continue
            # The line of dashes is hidden at the end of the row above it.
            follows = index + 1
            while follows in rules:
                follows += 1
            stop_quiet = lines[follows][0] if follows < len(lines) else until
            cells = tuple(self._cells(begin, stop, stop_quiet))
            yield TableRow(header=index + 1 in rules, cells=cells)

    def _cells(self, begin: int, stop: int, until: int) -> Iterator[tuple[TextPart, ...]]:
        spans = _cell_spans(self._text, begin, stop)
        for index, (start, end) in enumerate(spans):
            last = until if index + 1 == len(spans) else end
            first, after = _core(self._text, start, end)
            yield self._marker.mark(
                [
                    Stretch(start, first, "quiet"),
                    *self._inline(first, after),
                    Stretch(after, last, "quiet"),
                ]
            )

    def _page_begun(self, start: int, until: int) -> str:
        index = bisect_left(self._page_starts, start)
        if index < len(self._page_starts) and self._page_starts[index] < until:
            return f"Page {self._layout.pages[index].label}"
        return ""


def _marker_stretches(match: re.Match[str]) -> list[Stretch]:
    return [
        Stretch(match.start(), match.end("indent"), "quiet"),
        Stretch(match.start("mark"), match.end("mark")),
        Stretch(match.end("mark"), match.end(), "quiet"),
    ]


def _cell_spans(text: str, begin: int, stop: int) -> list[tuple[int, int]]:
    """Cut a row at its separators; each cell but the first begins with its own."""
    edges = [match.start() for match in CELL_EDGE.finditer(text, begin, stop)]
    if edges and not text[begin : edges[0]].strip():
        edges = edges[1:]
    if edges and not text[edges[-1] + 1 : stop].strip():
        edges = edges[:-1]
    cuts = [begin, *edges, stop]
    return list(itertools.pairwise(cuts))


def _core(text: str, start: int, end: int) -> tuple[int, int]:
    """Return where a cell's own words stand, between separators and spaces."""
    words = text[start:end]
    first = start + len(words) - len(words.lstrip(" \t|"))
    after = start + len(words.rstrip(" \t\n\r|"))
    return (first, max(first, after)) if first < end else (end, end)
