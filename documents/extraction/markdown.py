"""Markdown: the text stays as it is; only the layout is found.

Refuses to render. Front matter and template tags stay in the text with a warning; a block that
is nothing but comments is a declared skip.
"""

import re
from collections.abc import Iterator, Sequence
from html import unescape

from markdown_it import MarkdownIt
from markdown_it.token import Token

from documents.extraction.spans import MARKDOWN_LINE_END, list_markdown_starts, shrink
from documents.extraction.types import Block, BlockKind, Heading, Layout, Skip

KINDS: dict[str, BlockKind] = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "blockquote_open": "quote",
    "table_open": "table",
    "fence": "code",
    "code_block": "code",
    "html_block": "html",
}

# Blocks need no inline parse; titles alone get one.
BLOCKS = MarkdownIt("commonmark").enable("table").disable(["inline", "text_join"])
TITLES = MarkdownIt("commonmark")

# Line ends are atomic and repeats possessive or bounded: no input makes these patterns slow.
FRONT_MATTER = re.compile(
    r"(?P<fence>---|\+\+\+)[ \t]*(?>\r\n?|\n)"
    r"(?>[ \t]*(?:\#[^\r\n]*)?(?>\r\n?|\n))*+"
    r"(?=[\w\"'][^\r\n:=]*+[:=]|\[|(?P=fence))"
    r"(?:[^\r\n]*+(?>\r\n?|\n))*?"
    r"(?:(?P=fence)|\.\.\.)[ \t]*(?=\r|\n|\Z)"
)
TEMPLATE_TAG = re.compile(r"\{%.{0,500}?%\}|\{\{.{0,500}?\}\}", re.DOTALL)
COMMENTS_ONLY = re.compile(r"(?>\s*<!--.*?-->)+\s*", re.DOTALL)
HEADING_IN_HTML = re.compile(
    r"<h(?P<level>[1-6])\b[^>]{0,500}>(?P<inner>.{0,500}?)</h(?P=level)\s{0,9}>"
    r"|^ {0,3}(?P<hashes>\#{1,6})[ \t]+(?P<rest>[^\r\n]+)",
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)
TAG = re.compile(r"<[^<>]*>")
LONGEST_TITLE = 500
COMMENT_OPEN, COMMENT_CLOSE = "<!--", "-->"

FRONT_MATTER_WARNING = "The file begins with front matter, which is kept as text."
TEMPLATE_WARNING = "{number} template tag(s) are kept as text and not filled in."


def lay_out_markdown(text: str) -> tuple[Layout, tuple[str, ...]]:
    """Find the blocks, headings and comments of a Markdown text, and what to warn about.

    Invariant: every character that is not whitespace stands in exactly one block.
    """
    front = FRONT_MATTER.match(text)
    front_end = front.end() if front else 0
    tokens = BLOCKS.parse(_mask(text, front_end))
    starts = list_markdown_starts(text)
    blocks: list[Block] = []
    if front:
        blocks.append(Block(kind="front_matter", start=0, end=front_end))
    for kind, start, end in _list_parts(tokens, starts):
        _append_part(blocks, text, kind, (start, end))
    _append_rest(blocks, text, len(text))
    skips = tuple(
        Skip(start=block.start, end=block.end, reason="comment")
        for block in blocks
        if block.kind == "html" and COMMENTS_ONLY.fullmatch(text, block.start, block.end)
    )
    headings = _list_headings(text, tokens, starts, blocks)
    layout = Layout(headings=tuple(headings), blocks=tuple(blocks), skips=skips)
    return layout, tuple(_list_warnings(text, has_front_matter=front is not None))


def _mask(text: str, front_end: int) -> str:
    """Hide from the parser, line for line, what would hide the rest of the text from it."""
    masked = "".join(MARKDOWN_LINE_END.findall(text, 0, front_end)) + text[front_end:]
    # A comment that is never closed would swallow all that follows it.
    closed = masked.rfind(COMMENT_CLOSE) + 1
    return masked[:closed] + masked[closed:].replace(COMMENT_OPEN, "&lt;")


def _list_parts(
    tokens: Sequence[Token], starts: Sequence[int]
) -> Iterator[tuple[BlockKind, int, int]]:
    for token in tokens:
        if token.level == 0 and token.map is not None and token.type in KINDS:
            first, last = token.map
            yield KINDS[token.type], starts[first], starts[min(last, len(starts) - 1)]


def _append_part(blocks: list[Block], text: str, kind: BlockKind, part: tuple[int, int]) -> None:
    start, end = shrink(text, *part)
    _append_rest(blocks, text, part[0])
    start = max(start, blocks[-1].end if blocks else 0)
    if start < end:
        blocks.append(Block(kind=kind, start=start, end=end))


def _append_rest(blocks: list[Block], text: str, until: int) -> None:
    """Take what the parser gave no block, such as link definitions and rules, as a paragraph."""
    start, end = shrink(text, blocks[-1].end if blocks else 0, until)
    if start < end:
        blocks.append(Block(kind="paragraph", start=start, end=end))


def _list_headings(
    text: str, tokens: Sequence[Token], starts: Sequence[int], blocks: Sequence[Block]
) -> list[Heading]:
    found = [*_read_headings(text, tokens, starts)]
    for block in blocks:
        if block.kind == "html" and not COMMENTS_ONLY.fullmatch(text, block.start, block.end):
            found.extend(_read_html_headings(text, block))
    found.sort(key=lambda heading: heading.start)
    headings: list[Heading] = []
    for heading in found:
        if not headings or heading.start >= headings[-1].end:
            headings.append(heading)
    return headings


def _read_headings(text: str, tokens: Sequence[Token], starts: Sequence[int]) -> Iterator[Heading]:
    for place, token in enumerate(tokens):
        if token.type == "heading_open" and token.map is not None:
            first, last = token.map
            start, end = shrink(text, starts[first], starts[min(last, len(starts) - 1)])
            title = _show_title(tokens[place + 1].content)
            if title and start < end:
                yield Heading(start=start, end=end, level=int(token.tag[1]), title=title)


def _read_html_headings(text: str, block: Block) -> Iterator[Heading]:
    for match in HEADING_IN_HTML.finditer(text, block.start, block.end):
        if match["level"]:
            level, title = int(match["level"]), unescape(TAG.sub("", match["inner"]))
        else:
            level, title = len(match["hashes"]), _show_title(match["rest"])
        start, end = shrink(text, match.start(), match.end())
        if title.strip():
            yield Heading(start=start, end=end, level=level, title=" ".join(title.split()))


def _show_title(source: str) -> str:
    """Give the visible text of a title: no emphasis marks, no link targets, no tags."""
    shown = []
    for token in TITLES.parseInline(source[:LONGEST_TITLE])[0].children or []:
        if token.type in {"text", "text_special", "code_inline", "image"}:
            shown.append(token.content)
        elif token.type in {"softbreak", "hardbreak"}:
            shown.append(" ")
    return " ".join("".join(shown).split())


def _list_warnings(text: str, *, has_front_matter: bool) -> Iterator[str]:
    if has_front_matter:
        yield FRONT_MATTER_WARNING
    number = sum(1 for _ in TEMPLATE_TAG.finditer(text))
    if number:
        yield TEMPLATE_WARNING.format(number=number)
