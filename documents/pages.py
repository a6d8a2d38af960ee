"""What the document pages show, as prepared values.

Templates print these and decide nothing. Every date is already worded in the organisation's time
zone, every address already built. Refuses to read the database or the clock.
"""

from dataclasses import dataclass, field
from typing import Literal

StateCode = Literal["in_force", "scheduled", "ended", "withdrawn", "never"]
PartKind = Literal[
    "plain",
    "strong",
    "emphasis",
    "code",
    "quiet",
    "line_end",
    "marked",
    "marked_quiet",
    "marked_line_end",
]
BlockKind = Literal[
    "heading", "paragraph", "list", "table", "code", "quote", "front_matter", "html", "plain"
]
BannerKind = Literal["past", "future", "gone", "note"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A moment for people and, in `iso`, for machines."""

    iso: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLink:
    """An address with its words; `current` marks the page or filter being shown."""

    label: str
    url: str
    current: bool = False
    count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionState:
    """Where a revision stands at the moment of the page."""

    code: StateCode
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One interval on a band of time; Units: `x` and `width` in thousandths of the band."""

    x: int
    width: int
    state: StateCode
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeBand:
    """Intervals of a document drawn on one line; `at` is the moment asked about."""

    bars: tuple[Bar, ...]
    at: int
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionLine:
    """One revision in a document's timeline, newest first."""

    number: int
    state: RevisionState
    starts: Moment | None
    ends: Moment | None
    change_note: str
    url: str
    shown: bool = False
    entered_late: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Banner:
    """A notice above a text: why it is not the one in force, and where that one is."""

    kind: BannerKind
    text: str
    link: PageLink | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPart:
    """A run of a revision's own characters; `anchor` is set on the first marked run.

    Quiet runs (the marks of Markdown) are in the page and not shown, so that the parts of a block
    still join up to its text, and the marked ones to the quote.
    """

    text: str
    kind: PartKind = "plain"
    anchor: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLine:
    """One item of a list, with its own marker as it stands in the text."""

    marker: tuple[TextPart, ...]
    depth: int
    parts: tuple[TextPart, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """One row of a table; each cell is a run of parts."""

    header: bool
    cells: tuple[tuple[TextPart, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextBlock:
    """One block of a revision's text, laid out by kind; `page` is set where a page begins."""

    kind: BlockKind
    parts: tuple[TextPart, ...] = ()
    lines: tuple[TextLine, ...] = ()
    rows: tuple[TableRow, ...] = ()
    level: int = 0
    page: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionPage:
    """Context `page` of documents/revision.html: one revision, with or without a marked span."""

    title: str
    document_url: str
    language: str
    group: str
    number: int
    state: RevisionState
    interval: str
    blocks: tuple[TextBlock, ...]
    timeline: tuple[RevisionLine, ...]
    heading_path: tuple[str, ...] = ()
    page_label: str = ""
    quote: str = ""
    position: str = ""
    banner: Banner | None = None
    warnings: tuple[str, ...] = ()
    back: PageLink | None = None
    window_label: str = ""
    earlier: PageLink | None = None
    later: PageLink | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPage:
    """Context `page` of documents/document.html: one document and its timeline."""

    title: str
    language: str
    group: str
    owner: str
    tags: tuple[PageLink, ...]
    state: RevisionState
    summary: str
    band: TimeBand
    timeline: tuple[RevisionLine, ...]
    read: PageLink | None
    ask: PageLink
    banner: Banner | None = None
    source_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRow:
    """One line of the document list."""

    title: str
    url: str
    language: str
    group: str
    tags: tuple[str, ...]
    state: RevisionState
    interval: str
    revision_label: str
    band: TimeBand


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One option of a filter."""

    value: str
    label: str
    selected: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFilter:
    """A filter of the document list, shown as a labelled select."""

    name: str
    label: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentListPage:
    """Context `page` of documents/list.html."""

    action: str
    words: str
    as_of: str
    as_of_type: str
    as_of_changed: bool
    filters: tuple[ListFilter, ...]
    rows: tuple[DocumentRow, ...]
    count_label: str
    clear: PageLink | None = None
    newer: PageLink | None = None
    older: PageLink | None = None
    errors: tuple[str, ...] = field(default=())
