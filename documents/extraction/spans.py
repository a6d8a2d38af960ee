"""Lines and spans of a text, counted in code points."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

MARKDOWN_LINE_END = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line, where it starts, and what stands before its line end."""

    start: int
    content: str

    @property
    def end(self) -> int:
        """Where the content ends, before the line end."""
        return self.start + len(self.content)

    @property
    def is_blank(self) -> bool:
        """Whether the line holds nothing but whitespace."""
        return not self.content.strip()


def list_lines(text: str) -> Iterator[Line]:
    """Cut at everything that Unicode calls a line end: CR, LF, both, form feed, U+2028 and more."""
    start = 0
    for whole in text.splitlines(keepends=True):
        yield Line(start=start, content=whole.splitlines()[0])
        start += len(whole)


def list_markdown_starts(text: str) -> list[int]:
    """Give the start of each line as CommonMark counts them, and the end of the text last.

    Source: CommonMark 0.31.2, section 2.1: a line ends at LF, CR or CR LF, and nowhere else.
    """
    starts = [0, *(match.end() for match in MARKDOWN_LINE_END.finditer(text))]
    return starts if starts[-1] == len(text) and len(starts) > 1 else [*starts, len(text)]


def shrink(text: str, start: int, end: int) -> tuple[int, int]:
    """Move both ends of a span inwards over whitespace; start equals end where nothing is left."""
    part = text[start:end]
    start += len(part) - len(part.lstrip())
    return start, start + len(part.strip())
