"""What extraction hands on: canonical text and where its parts stand.

Every offset is a code point of the canonical text, half-open. This module refuses to read files
or to look into the text.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Self, TypeVar, get_args

BlockKind = Literal[
    "front_matter", "heading", "paragraph", "list", "table", "code", "quote", "html"
]
SkipReason = Literal["comment"]

BLOCK_KINDS: frozenset[BlockKind] = frozenset(get_args(BlockKind))
SKIP_REASONS: frozenset[SkipReason] = frozenset(get_args(SkipReason))

HIGHEST_LEVEL, LOWEST_LEVEL = 1, 6

Record = dict[str, int | str]
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """The line or lines of a heading; `title` is its visible text, `level` is 1 to 6."""

    start: int
    end: int
    level: int
    title: str

    def __post_init__(self) -> None:
        check_span(self.start, self.end)
        if not HIGHEST_LEVEL <= self.level <= LOWEST_LEVEL:
            raise ValueError(f"{self.level} is no level of a heading")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A run of whole lines of one kind; nothing but whitespace stands between two blocks."""

    kind: BlockKind
    start: int
    end: int

    def __post_init__(self) -> None:
        check_span(self.start, self.end)
        if self.kind not in BLOCK_KINDS:
            raise ValueError(f"unknown kind of block {self.kind!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """Text that is kept and shown but declared not to be searched."""

    start: int
    end: int
    reason: SkipReason

    def __post_init__(self) -> None:
        check_span(self.start, self.end)
        if self.reason not in SKIP_REASONS:
            raise ValueError(f"unknown reason to skip {self.reason!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of a format that has pages; `label` is what is printed on it."""

    start: int
    end: int
    label: str

    def __post_init__(self) -> None:
        check_span(self.start, self.end)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where the parts of one canonical text stand.

    Invariant: each tuple is in order and its members are disjoint; a heading also is a block of
    kind "heading", unless it stands inside a list or a quote; `pages` is empty for formats
    without pages.
    """

    headings: tuple[Heading, ...] = ()
    blocks: tuple[Block, ...] = ()
    pages: tuple[Page, ...] = ()
    skips: tuple[Skip, ...] = ()

    def __post_init__(self) -> None:
        for parts in (self.headings, self.blocks, self.pages, self.skips):
            check_disjoint((part.start, part.end) for part in parts)

    def to_json(self) -> dict[str, list[Record]]:
        """Give plain lists and objects, ready for a JSON column."""
        return {
            "headings": [
                {"start": h.start, "end": h.end, "level": h.level, "title": h.title}
                for h in self.headings
            ],
            "blocks": [{"kind": b.kind, "start": b.start, "end": b.end} for b in self.blocks],
            "pages": [{"start": p.start, "end": p.end, "label": p.label} for p in self.pages],
            "skips": [{"start": s.start, "end": s.end, "reason": s.reason} for s in self.skips],
        }

    @classmethod
    def from_json(cls, value: object) -> Self:
        """Read what `to_json` gave; absent lists are empty.

        Raises: ValueError where the value has another shape.
        """
        match value:
            case Mapping():
                return cls(
                    headings=_read_list(value.get("headings", []), Heading),
                    blocks=_read_list(value.get("blocks", []), Block),
                    pages=_read_list(value.get("pages", []), Page),
                    skips=_read_list(value.get("skips", []), Skip),
                )
            case _:
                raise ValueError("a layout is not a JSON object")


@dataclass(frozen=True, slots=True, kw_only=True)
class CanonicalText:
    """The immutable text of a revision, where its parts stand, and what was odd about the file.

    Invariant: `text` can be stored by PostgreSQL (no NUL) and encoded as UTF-8 (no surrogate);
    `language` is a primary BCP 47 code, "und" where it could not be told; `warnings` are
    sentences for people.
    """

    text: str
    layout: Layout = field(default_factory=Layout)
    language: str = "und"
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionLimits:
    """What one file may use; each has its own failure code.

    `seconds` bounds both the wait and the processor time (time_limit), `memory_bytes` the address
    space of the child (memory_limit), `output_bytes` what it hands back and `text_chars` the code
    points of the canonical text (both stream_limit).
    """

    seconds: float
    memory_bytes: int
    output_bytes: int
    text_chars: int

    def __post_init__(self) -> None:
        if min(self.seconds, self.memory_bytes, self.output_bytes, self.text_chars) <= 0:
            raise ValueError("every limit of an extraction is above 0")


def check_span(start: int, end: int) -> None:
    """Refuse a span that is not whole numbers with 0 <= start < end.

    Raises: ValueError.
    """
    if not (isinstance(start, int) and isinstance(end, int)) or not 0 <= start < end:
        raise ValueError(f"not a span: {start!r} to {end!r}")


def check_disjoint(spans: Iterable[tuple[int, int]]) -> None:
    """Refuse spans that overlap or are out of order.

    Raises: ValueError.
    """
    reached = 0
    for start, end in spans:
        if start < reached:
            raise ValueError(f"the span {start} to {end} begins before {reached}")
        reached = end


def _read_list(records: object, make: Callable[..., Item]) -> tuple[Item, ...]:
    match records:
        case list():
            try:
                return tuple(make(**record) for record in records)
            except TypeError as error:
                raise ValueError("a member of a layout has another shape") from error
        case _:
            raise ValueError("a part of a layout is not a list")
