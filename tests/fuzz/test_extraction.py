"""Whatever is uploaded: a text whose offsets hold, or a failure with a code; never a crash."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from documents.extraction.decoding import UNSTORABLE, decode, make_storable
from documents.extraction.errors import ExtractionFailed
from documents.extraction.html import read_html
from documents.extraction.markdown import lay_out_markdown
from documents.extraction.plain import lay_out_plain
from documents.extraction.reading import read_file
from documents.extraction.types import Layout

pytestmark = pytest.mark.fuzz

CODES = {"empty", "no_text", "needs_encoding", "unsupported", "stream_limit"}
NAMES = ["a.md", "a.txt", "a.html"]

LINE_ENDS = ["\n", "\n", "\n\n", "\r\n", "\r", "\r\n\r\n", "\u2028", "\x0c", "\x85", "\v"]
MARKDOWN_MARKS = (
    "=== --- ``` ~~~ *** +++ ... | |-|-| <!-- --> <div> </div> <h2> </h2> <pre> <script> [a]:/b "
    "[a](b) {{x}} * _ ` &amp; &#x41; \\ word Zwölf 规则 📄 e\u0301"
)
MARKDOWN_PIECES = [
    *LINE_ENDS,
    *MARKDOWN_MARKS.split(),
    *["# ", "## ", "- ", "1. ", "> ", "    ", "\t", "title: x", "<!-- c -->", "{% if %}"],
    *["[a]: /b", "\u3000", "\xa0", "x" * 40],
]
HTML_MARKS = (
    "<p> <br> <h1> </h1> <h3> </h3> <ul> </ul> <ol> </ol> <li> <table> </table> <caption> <td> "
    "<tr> <th> <pre> </pre> <blockquote> </blockquote> </div> <script> </script> <!-- --> <dl> "
    "<dd> <b> <textarea> <select> <option> <svg> </svg> &nbsp; &#1; &#xd800; word 规则 📄 < > &"
)
HTML_PIECES = [*HTML_MARKS.split(), " two words ", "\n", "\t", "<ol start=7>", "<div hidden>"]

markdown = st.lists(st.sampled_from(MARKDOWN_PIECES), max_size=40).map("".join)
pages = st.lists(st.sampled_from(HTML_PIECES), max_size=50).map("".join)
storable = st.text(st.characters(codec="utf-8")).map(lambda text: make_storable_or_none(text) or "")


def make_storable_or_none(text):
    try:
        return make_storable(text).text
    except ExtractionFailed:
        return None


def check_blocks(text, layout):
    """Everything outside the blocks is whitespace, and no block begins or ends with any."""
    reached = 0
    for block in layout.blocks:
        assert not text[reached : block.start].strip()
        assert text[block.start : block.end].strip()
        reached = block.end
    assert not text[reached:].strip()
    assert all(heading.end <= len(text) for heading in layout.headings)


@settings(max_examples=300)
@given(st.text(st.characters(codec="utf-8")), st.sampled_from(["utf-8", "utf-16-le", "utf-16-be"]))
def test_any_text_comes_back_in_every_encoding(text, codec):
    expected = make_storable_or_none(text)
    if expected is not None and not text.startswith("\ufeff"):
        assert decode(text.encode(codec), encoding=codec).text == expected


@settings(max_examples=300)
@given(st.text(st.characters(codec="utf-8"), min_size=4))
def test_a_byte_order_mark_decides(text):
    expected = make_storable_or_none(text)
    if expected is not None and not text.startswith(("\x00", "\ufeff")):
        for codec in ("utf-8-sig", "utf-16-le", "utf-16-be"):
            mark = b"" if codec == "utf-8-sig" else "\ufeff".encode(codec)
            assert decode(mark + text.encode(codec), encoding=None).text == expected


@settings(max_examples=300)
@given(st.text())
def test_stored_text_has_nothing_that_cannot_be_stored(text):
    stored = make_storable_or_none(text)
    if stored is not None:
        assert UNSTORABLE.search(stored) is None
        assert make_storable(stored).text == stored
        stored.encode()


@settings(max_examples=500, deadline=None)
@given(markdown)
@example("---\na: b\n---\n# T\n")
@example("<!-- a\n\n# b\n")
@example("- # a\n  b\n  ===\n")
def test_markdown_blocks_cover_all_but_whitespace(text):
    layout, _ = lay_out_markdown(text)
    check_blocks(text, layout)
    for skip in layout.skips:
        assert text[skip.start : skip.end].startswith("<!--")
        assert text[skip.start : skip.end].endswith("-->")


@settings(max_examples=500, deadline=None)
@given(markdown, st.integers(1, 60))
def test_windows_of_the_parser_change_nothing(text, window_chars):
    assert lay_out_markdown(text, window_chars=window_chars) == lay_out_markdown(text)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(1, 6), st.text("abc XYZ中文0.-é", min_size=1), st.sampled_from(LINE_ENDS)
        )
    )
)
def test_every_markdown_title_stands_in_its_span(parts):
    lines = [f"{'#' * level} x{title}{end}" for level, title, end in parts]
    text = "\n".join(lines)
    layout, _ = lay_out_markdown(text)
    assert len(layout.headings) == len(parts)
    for heading in layout.headings:
        shown = " ".join(text[heading.start : heading.end].split())
        assert shown.startswith("#" * heading.level)
        assert heading.title in shown


@settings(max_examples=300)
@given(st.one_of(storable, markdown))
def test_plain_blocks_cover_all_but_whitespace(text):
    layout = lay_out_plain(text)
    check_blocks(text, layout)
    for heading in layout.headings:
        assert heading.title in text[heading.start : heading.end]


@settings(max_examples=500, deadline=None)
@given(pages)
@example("<table><tr><td><td>a<li>b<tr><td>c</table>d")
@example("<h1>a<ul><li>b</h1>c</ul>")
def test_html_blocks_cover_all_but_whitespace(source):
    text, layout, _ = read_html(source)
    check_blocks(text, layout)
    for heading in layout.headings:
        assert heading.title == " ".join(text[heading.start : heading.end].split())


@settings(max_examples=500, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=400),
        markdown.map(str.encode),
        pages.map(str.encode),
        st.text().map(lambda text: text.encode("utf-16-le", "surrogatepass")),
    ),
    st.one_of(st.sampled_from([*NAMES, "a.pdf", "a"]), st.text(max_size=20)),
    st.one_of(st.none(), st.sampled_from(["utf-8", "utf-16", "gb18030", ""]), st.text(max_size=9)),
)
def test_any_bytes_give_a_text_or_a_code(content, name, encoding):
    try:
        canonical = read_file(
            content,
            original_name=name,
            encoding=encoding,
            most_chars=300,
            detect_language=lambda *_: "und",
        )
    except ExtractionFailed as failure:
        assert failure.code in CODES
        failure.message.encode()
    else:
        check_blocks(canonical.text, canonical.layout)
        stored = json.dumps(canonical.layout.to_json(), ensure_ascii=False).encode()
        assert Layout.from_json(json.loads(stored)) == canonical.layout
        canonical.text.encode()
