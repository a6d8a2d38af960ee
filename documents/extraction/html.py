"""HTML: the text a reader would see, without anything that runs, loads or hides in the head.

Refuses to fetch or to render. Scripts, styles, templates, frames, drawings and comments are
dropped, the page's title with its head.
"""

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from documents.extraction.page_text import PageText
from documents.extraction.types import BlockKind, Layout

DROPPED_NAMES = "audio canvas embed head iframe noscript object script style svg template video"
LINE_NAMES = (
    "address article aside body caption center dd details dialog dir div dt fieldset figcaption "
    "figure footer form header hgroup hr html legend main nav optgroup option p search section "
    "select summary table tbody textarea tfoot thead"
)
DROPPED = frozenset(DROPPED_NAMES.split())
LINES = frozenset(LINE_NAMES.split())
HEADINGS = {f"h{level}": level for level in range(1, 7)}
LISTS = frozenset({"ul", "ol", "menu"})
KINDS: dict[str, BlockKind] = {"dl": "list", "blockquote": "quote", "pre": "code"}
CELLS = frozenset({"td", "th"})
OPENERS = {
    "br": PageText.break_line,
    "li": PageText.open_item,
    "tr": PageText.open_row,
    "td": PageText.open_cell,
    "th": PageText.open_cell,
}
KEEPS_SPACES = frozenset({"pre", "textarea"})

TEXT = "-text"
INSIDE_ARRANGED = "h1,h2,h3,h4,h5,h6,table"
HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d])",
    re.IGNORECASE,
)
WHITE_ON_WHITE = re.compile(
    r"(?<![-\w])color\s*:\s*(?:white|transparent|#fff(?:fff)?)\b", re.IGNORECASE
)
HIDDEN_WARNING = "{number} element(s) hold text hidden from a reader of the page; it is kept."


def read_html(source: str) -> tuple[str, Layout, tuple[str, ...]]:
    """Give the text of a page, its layout, and what to warn about."""
    page = PageText()
    hidden = 0
    root = LexborHTMLParser(source).root
    if root is not None:
        for node, is_entered in _walk(root):
            if node.tag == TEXT:
                page.write(node.text_content or "")
            elif is_entered:
                hidden += _is_hidden(node)
                _enter(page, node)
            else:
                _leave(page, node)
    text, layout, warnings = page.finish()
    if hidden:
        warnings = (*warnings, HIDDEN_WARNING.format(number=hidden))
    return text, layout, warnings


def _walk(root: LexborNode) -> Iterator[tuple[LexborNode, bool]]:
    """Go through the tree in order, without recursion: pages may be nested without limit."""
    node, is_entered = root, True
    while True:
        is_kept = node.tag == TEXT or (node.is_element_node and node.tag not in DROPPED)
        if is_kept:
            yield node, is_entered
        below = node.first_child if is_entered and is_kept else None
        if below is not None:
            node = below
        elif is_entered and is_kept and node.tag != TEXT:
            is_entered = False
        elif node.mem_id == root.mem_id:
            return
        elif node.next is not None:
            node, is_entered = node.next, True
        else:
            parent = node.parent
            if parent is None:
                return
            node, is_entered = parent, False


def _enter(page: PageText, node: LexborNode) -> None:
    tag = node.tag or ""
    if tag in HEADINGS:
        page.open_heading(HEADINGS[tag])
    elif tag in LISTS:
        page.open_list(first_number=_first_number(node) if tag == "ol" else None)
    elif tag in KINDS:
        page.open_block(KINDS[tag])
    elif tag == "table" and not _arranges_page(node):
        page.open_table()
    elif tag in OPENERS:
        OPENERS[tag](page)
    elif tag in LINES:
        page.break_block()
    if tag in KEEPS_SPACES:
        page.keep_spaces(is_kept=True)


def _leave(page: PageText, node: LexborNode) -> None:
    tag = node.tag or ""
    if tag in KEEPS_SPACES:
        page.keep_spaces(is_kept=False)
    if tag in HEADINGS:
        page.close_heading()
    elif tag in LISTS:
        page.close_list()
    elif tag in KINDS:
        page.close_block()
    elif tag == "table" and not _arranges_page(node):
        page.close_table()
    elif tag == "tr":
        page.close_row()
    elif tag in LINES or tag in CELLS or tag == "li":
        page.break_block()


def _arranges_page(table: LexborNode) -> bool:
    """Whether a table only arranges the page: it holds a heading or another table."""
    part = table.first_child
    while part is not None:
        if part.is_element_node and part.css_first(INSIDE_ARRANGED) is not None:
            return True
        part = part.next
    return False


def _first_number(node: LexborNode) -> int:
    start = (node.attributes.get("start") or "1").strip()
    return int(start) if re.fullmatch(r"-?[0-9]{1,9}", start) else 1


def _is_hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    style = attributes.get("style") or ""
    is_white = "background" not in style and WHITE_ON_WHITE.search(style) is not None
    return is_white or "hidden" in attributes or HIDING.search(style) is not None
