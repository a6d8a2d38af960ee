"""Writes the text of a page piece by piece and notes where its blocks and headings stand."""

import re

from documents.extraction.decoding import make_storable
from documents.extraction.types import Block, BlockKind, Heading, Layout

SPACES = re.compile(r"[ \t\n\r\f]+")
BETWEEN_BLOCKS = "\n\n"
BETWEEN_LINES = "\n"
BETWEEN_CELLS = " | "
INDENT = "  "
CONTROL_WARNING = "Control characters written as references are made visible."


class PageText:
    """Text under construction: separators are held back until more text follows them.

    Invariant: what is written never changes, and no block begins or ends with a separator; the
    outermost element that has a kind decides the kind of a block.
    """

    def __init__(self) -> None:
        """Begin with nothing written."""
        self._pieces: list[str] = []
        self._length = 0
        self._gap = ""
        self._marker = ""
        self._kinds: list[BlockKind] = []
        self._block: tuple[BlockKind, int] | None = None
        self._blocks: list[Block] = []
        self._open_headings = 0
        self._level = 1
        self._title: list[str] = []
        self._title_start: int | None = None
        self._headings: list[Heading] = []
        self._numbers: list[int | None] = []
        self._is_in_table = False
        self._cells: int | None = None
        self._owed_cells = 0
        self._spaces_kept = 0
        self._has_controls = False

    def write(self, source: str) -> None:
        """Add text; runs of spaces become one unless they are kept."""
        stored = make_storable(source)
        self._has_controls = self._has_controls or bool(stored.warnings)
        words = stored.text if self._spaces_kept else SPACES.sub(" ", stored.text)
        if not words.strip() and (self._block is None or not self._spaces_kept):
            self._gap = self._gap or " "
        elif self._spaces_kept:
            self._put(words)
        else:
            if words.startswith(" "):
                self._gap = self._gap or " "
            self._put(words.strip(" "))
            self._gap = " " if words.endswith(" ") else ""

    def break_line(self) -> None:
        """Go to a new line; twice in a row, outside lists and the like, to a new block."""
        if self._gap == BETWEEN_LINES:
            self.break_block()
        else:
            self._gap = (self._gap or " ") if self._cells else BETWEEN_LINES

    def break_block(self) -> None:
        """End the paragraph, or the line where a list, table, quote or the like is open."""
        if self._cells:
            self._gap = self._gap or " "
        elif self._kinds:
            self._gap = BETWEEN_LINES
        else:
            self._end_block()

    def open_block(self, kind: BlockKind) -> None:
        """Begin an element that has a kind."""
        self.break_block()
        self._kinds.append(kind)

    def close_block(self) -> None:
        """End the innermost element that has a kind."""
        self._kinds.pop()
        self.break_block()

    def open_heading(self, level: int) -> None:
        """Begin a heading; one inside another is part of it."""
        self.open_block("heading")
        self._open_headings += 1
        if self._open_headings == 1:
            self._level, self._title, self._title_start = level, [], None

    def close_heading(self) -> None:
        """End a heading and keep it where it has text."""
        self._open_headings -= 1
        title = " ".join("".join(self._title).split())
        if not self._open_headings and title and self._title_start is not None:
            start, end = self._title_start, self._length
            self._headings.append(Heading(start=start, end=end, level=self._level, title=title))
        self.close_block()

    def open_list(self, *, first_number: int | None) -> None:
        """Begin a list; None means that its items have no numbers."""
        self.open_block("list")
        self._numbers.append(first_number)

    def close_list(self) -> None:
        """End the innermost list."""
        self._numbers.pop()
        self._marker = ""
        self.close_block()

    def open_item(self) -> None:
        """Begin an item of the innermost list; its mark waits for its first text."""
        self.break_block()
        number = self._numbers[-1] if self._numbers else None
        indent = INDENT * (len(self._numbers) - 1)
        self._marker = indent + ("- " if number is None else f"{number}. ")
        if number is not None:
            self._numbers[-1] = number + 1

    def open_table(self) -> None:
        """Begin a table of rows and cells; a table in a table does not come here."""
        self.open_block("table")
        self._is_in_table = True

    def close_table(self) -> None:
        """End the table."""
        self._is_in_table = False
        self.close_block()

    def open_row(self) -> None:
        """Begin a row; in a table its cells stand on one line."""
        self.break_block()
        if self._is_in_table:
            self._cells = 0

    def open_cell(self) -> None:
        """Begin a cell; in a table its separator waits for the next cell that has text."""
        self.break_block()
        if self._is_in_table:
            self._owed_cells += bool(self._cells)
            self._cells = (self._cells or 0) + 1

    def close_row(self) -> None:
        """End a row; separators of empty cells at its end are never written."""
        self._cells, self._owed_cells = None, 0
        self.break_block()

    def keep_spaces(self, *, is_kept: bool) -> None:
        """Begin or end an element whose spaces and line ends count."""
        self._spaces_kept += 1 if is_kept else -1

    def finish(self) -> tuple[str, Layout, tuple[str, ...]]:
        """Give the text, its layout, and what to warn about."""
        self._end_block()
        layout = Layout(headings=tuple(self._headings), blocks=tuple(self._blocks))
        warnings = (CONTROL_WARNING,) if self._has_controls else ()
        return "".join(self._pieces), layout, warnings

    def _put(self, words: str) -> None:
        gap, separators = self._gap, BETWEEN_CELLS * self._owed_cells
        if self._block is None:
            gap = BETWEEN_BLOCKS if self._length else ""
            kind = self._kinds[0] if self._kinds else "paragraph"
            self._block = (kind, self._length + len(gap))
            separators = separators.lstrip()
        elif separators:
            # A separator brings its own space, except at the start of a line.
            separators = separators.lstrip() if gap == BETWEEN_LINES else separators
            gap = gap if gap == BETWEEN_LINES else ""
        piece = gap + separators + self._marker + words
        if self._open_headings:
            if self._title_start is None:
                self._title_start = self._length + len(gap)
            self._title.append(piece)
        self._pieces.append(piece)
        self._length += len(piece)
        self._gap, self._marker, self._owed_cells = "", "", 0

    def _end_block(self) -> None:
        if self._block is not None:
            kind, start = self._block
            self._blocks.append(Block(kind=kind, start=start, end=self._length))
        self._block, self._gap, self._marker = None, "", ""
