"""Sections and searchable parts of a text, read off its layout. No searching, no cutting."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from documents.extraction.types import Block, Layout
from retrieval.types import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """From one heading to the next, with the headings above it and its own."""

    start: int
    end: int
    heading_path: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A stretch of one block within one section and outside every skip."""

    start: int
    end: int
    kind: str
    section: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """What the schemes need to know about a text beside its characters.

    Invariant: sections join up to the text; regions are what lies between skips, without those
    of nothing but whitespace.
    """

    sections: tuple[Section, ...]
    regions: tuple[Span, ...]
    blocks: tuple[Block, ...]

    def section_at(self, position: int) -> int:
        """Give the number of the section that holds the offset."""
        return bisect_right(self.sections, position, key=lambda section: section.start) - 1

    def content_start(self, text: str, span: Span) -> int:
        """Give the first visible character of a span that is not in a heading, or in any."""
        start, end = span
        first = position = _skip_space(text, start, end)
        while position < end:
            place = bisect_right(self.blocks, position, key=lambda block: block.start) - 1
            if self.kind_at(position) != "heading":
                return position
            position = _skip_space(text, self.blocks[place].end, end)
        return first

    def kind_at(self, position: int) -> str:
        """Give the kind of the block that holds the offset; between blocks it is a paragraph."""
        place = bisect_right(self.blocks, position, key=lambda block: block.start) - 1
        if place >= 0 and position < self.blocks[place].end:
            return self.blocks[place].kind
        return "paragraph"


def read_outline(text: str, layout: Layout) -> Outline:
    """Find sections and regions.

    Raises: ValueError where the layout reaches beyond the text.
    """
    for parts in (layout.headings, layout.blocks, layout.skips):
        if parts and parts[-1].end > len(text):
            raise ValueError("the layout reaches beyond the text")
    return Outline(
        sections=tuple(_sections(text, layout)),
        regions=tuple(_regions(text, layout)),
        blocks=layout.blocks,
    )


def parts_of(outline: Outline, region: Span) -> Iterator[Part]:
    """Give the parts of a region: blocks and what lies between them, cut at section starts."""
    position, end = region
    blocks, sections = outline.blocks, outline.sections
    place = bisect_right(blocks, position, key=lambda block: block.end)
    while position < end:
        section = outline.section_at(position)
        limit = min(end, sections[section].end)
        while place < len(blocks) and blocks[place].end <= position:
            place += 1
        if place < len(blocks) and blocks[place].start <= position:
            cut, kind = min(limit, blocks[place].end), str(blocks[place].kind)
        else:
            following = blocks[place].start if place < len(blocks) else end
            cut, kind = min(limit, following), "paragraph"
        yield Part(start=position, end=cut, kind=kind, section=section)
        position = cut


def _skip_space(text: str, position: int, end: int) -> int:
    while position < end and text[position].isspace():
        position += 1
    return position


def _sections(text: str, layout: Layout) -> Iterator[Section]:
    starts = [heading.start for heading in layout.headings]
    first_start = starts[0] if starts else len(text)
    if first_start > 0:
        yield Section(start=0, end=first_start, heading_path=())
    above: list[tuple[int, str]] = []
    ends = [*starts[1:], len(text)]
    for heading, end in zip(layout.headings, ends, strict=False):
        above = [(level, title) for level, title in above if level < heading.level]
        above.append((heading.level, heading.title))
        path = tuple(title for _, title in above)
        yield Section(start=heading.start, end=end, heading_path=path)


def _regions(text: str, layout: Layout) -> Iterator[Span]:
    start = 0
    for skip_start, skip_end in [(s.start, s.end) for s in layout.skips] + [(len(text), 0)]:
        if text[start:skip_start].strip():
            yield start, skip_start
        start = skip_end
