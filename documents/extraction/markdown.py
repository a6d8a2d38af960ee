"""Markdown: the text stays as it is; only the layout is found.

Refuses to render. Front matter and template tags stay in the text with a warning; a block that
is nothing but comments is a declared skip.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from html import unescape

from markdown_it import MarkdownIt
from markdown_it.token import Token

from documents.extraction.spans import list_markdown_starts, shrink
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
NOT_LINE_END = re.compile(r"[^\r\n]")
LONGEST_TITLE = 500
WINDOW_CHARS = 2_000_000  # the parser takes about 20 bytes of memory for each
COMMENT_OPEN, COMMENT_CLOSE = "<!--", "-->"

FRONT_MATTER_WARNING = "The file begins with front matter, which is kept as text."
TEMPLATE_WARNING = "{number} template tag(s) are kept as text and not filled in."


def lay_out_markdown(
    text: str, *, window_chars: int = WINDOW_CHARS
) -> tuple[Layout, tuple[str, ...]]:
    """Find the blocks, headings and comments of a Markdown text, and what to warn about.

    Invariant: every character that is not whitespace stands in exactly one block, and
    `window_chars` bounds memory without changing the result.
    """
    front = FRONT_MATTER.match(text)
    front_end = front.end() if front else 0
    starts = list_markdown_starts(text)
    blocks: list[Block] = []
    headings: list[Heading] = []
    if front:
        blocks.append(Block(kind="front_matter", start=0, end=front_end))
    for tokens, first_line in _parse(_mask(text, front_end), starts, window_chars):
        for token in tokens:
            if token.level == 0 and token.map is not None and token.type in KINDS:
                span = _span_of(token.map, starts, first_line)
                _append_part(blocks, text, KINDS[token.type], span)
        headings.extend(_read_headings(text, tokens, starts, first_line))
    _append_rest(blocks, text, len(text))
    skips = []
    for block in blocks:
        if block.kind == "html":
            if COMMENTS_ONLY.fullmatch(text, block.start, block.end):
                skips.append(Skip(start=block.start, end=block.end, reason="comment"))
            else:
                headings.extend(_read_html_headings(text, block))
    layout = Layout(
        headings=tuple(_keep_disjoint(headings)),
        blocks=tuple(blocks),
        skips=tuple(skips),
    )
    return layout, tuple(_list_warnings(text, has_front_matter=front is not None))


def _mask(text: str, front_end: int) -> str:
    """Hide from the parser, character for character, what would hide the rest from it."""
    masked = NOT_LINE_END.sub(" ", text[:front_end]) + text[front_end:]
    # A comment that is never closed would swallow all that follows it.
    closed = masked.rfind(COMMENT_CLOSE) + 1
    if COMMENT_OPEN not in masked[closed:]:
        return masked
    return masked[:closed] + masked[closed:].replace(COMMENT_OPEN, "&lt;")


def _parse(
    masked: str, starts: Sequence[int], window_chars: int
) -> Iterator[tuple[Sequence[Token], int]]:
    """Parse window by window; give the tokens of each and the line it begins at.

    The last block of a window may go on behind it, so the next window begins there. What comes
    later never changes a block that has ended: CommonMark 0.31.2, appendix, phase 1.
    """
    first, size = 0, window_chars
    last = len(starts) - 1
    while first < last:
        until = min(max(first + 1, bisect_left(starts, starts[first] + size)), last)
        tokens = BLOCKS.parse(masked[starts[first] : starts[until]])
        if until == last:
            yield tokens, first
            return
        cut, line = _find_last_block(tokens)
        if line:
            yield tokens[:cut], first
            first, size = first + line, window_chars
        else:
            size *= 2


def _find_last_block(tokens: Sequence[Token]) -> tuple[int, int]:
    """Give the place and the first line of the last outermost block."""
    for place in range(len(tokens) - 1, -1, -1):
        token = tokens[place]
        if token.level == 0 and token.map is not None:
            return place, token.map[0]
    return 0, 0


def _span_of(lines: Sequence[int], starts: Sequence[int], first_line: int) -> tuple[int, int]:
    first, last = (min(first_line + line, len(starts) - 1) for line in lines)
    return starts[first], starts[last]


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


def _read_headings(
    text: str, tokens: Sequence[Token], starts: Sequence[int], first_line: int
) -> Iterator[Heading]:
    for place, token in enumerate(tokens):
        if token.type == "heading_open" and token.map is not None:
            start, end = shrink(text, *_span_of(token.map, starts, first_line))
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


def _keep_disjoint(headings: list[Heading]) -> Iterator[Heading]:
    reached = 0
    for heading in sorted(headings, key=lambda heading: heading.start):
        if heading.start >= reached:
            yield heading
            reached = heading.end


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
