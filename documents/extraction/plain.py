"""Plain text: paragraphs between blank lines, and headings only where they are underlined."""

import re
from itertools import groupby

from documents.extraction.spans import Line, list_lines, shrink
from documents.extraction.types import Block, Heading, Layout

UNDERLINE = re.compile(r"(=+|-+)$")
LEVELS = {"=": 1, "-": 2}
LEAST_UNDERLINE = 3
LONGEST_TITLE = 120
UNDERLINED_LINES = 2


def lay_out_plain(text: str) -> Layout:
    """Find the paragraphs of a plain text, and the titles underlined at about their length."""
    headings: list[Heading] = []
    blocks: list[Block] = []
    for _, group in groupby(list_lines(text), key=lambda line: line.is_blank):
        lines = list(group)
        if lines[0].is_blank:
            continue
        heading = _find_heading(lines)
        if heading is not None:
            headings.append(heading)
            blocks.append(Block(kind="heading", start=heading.start, end=heading.end))
            lines = lines[UNDERLINED_LINES:]
        if lines:
            start, end = shrink(text, lines[0].start, lines[-1].end)
            blocks.append(Block(kind="paragraph", start=start, end=end))
    return Layout(headings=tuple(headings), blocks=tuple(blocks))


def _find_heading(lines: list[Line]) -> Heading | None:
    if len(lines) < UNDERLINED_LINES:
        return None
    title, underline = lines[0].content.strip(), lines[1].content.strip()
    if len(title) > LONGEST_TITLE or UNDERLINE.match(underline) is None:
        return None
    # Wide characters take two columns, so their underline may be twice as long.
    if not max(LEAST_UNDERLINE, len(title) // 2) <= len(underline) <= 2 * len(title) + 2:
        return None
    if UNDERLINE.match(title):
        return None
    start = lines[0].start + lines[0].content.index(title)
    end = lines[1].start + lines[1].content.index(underline) + len(underline)
    return Heading(start=start, end=end, level=LEVELS[underline[0]], title=title)
