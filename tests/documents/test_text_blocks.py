"""A text as blocks to read: joined it is the text, and what is marked is the quote."""

import time

import pytest

from documents.extraction.html import read_html
from documents.extraction.markdown import lay_out_markdown
from documents.extraction.types import Layout
from documents.text_blocks import (
    TextLayout,
    heading_path_at,
    is_markdown,
    page_label_at,
    split_windows,
)
from documents.text_marking import ANCHOR

MARKDOWN = """---
owner: technicians
---

# Machine register

Every machine **above $500** is in [the list](https://example.org/list "All of them"), see `ls`.

- First item,
  which goes on
  - Deeper _item_
1. Numbered

| Machine | Room |
|---|---|
| Kiln \\| small | Yard |
| Lathe |  |

Below a line
------------

> Quoted words
> go on.

```sh
systemctl restart queue
```

<a name="end"></a>
"""


def all_parts(blocks):
    for block in blocks:
        yield from block.parts
        for line in block.lines:
            yield from line.marker
            yield from line.parts
        for row in block.rows:
            for cell in row.cells:
                yield from cell


def lay_out(text, *, span=None, layout=None, markdown=True, size=40_000):
    layout = layout or lay_out_markdown(text)[0]
    shape = TextLayout(text, layout, markdown=markdown, span=span)
    windows = split_windows(text, layout, size=size)
    return [block for window in windows for block in shape.lay_out(window)]


def shown(parts):
    return "".join(part.text for part in parts if "quiet" not in part.kind)


def marked(blocks):
    return "".join(part.text for part in all_parts(blocks) if part.kind.startswith("marked"))


def test_parts_join_up_to_the_text():
    assert "".join(part.text for part in all_parts(lay_out(MARKDOWN))) == MARKDOWN


@pytest.mark.parametrize("size", [10, 37, 150])
def test_windows_join_up_to_the_text_whatever_their_size(size):
    assert "".join(part.text for part in all_parts(lay_out(MARKDOWN, size=size))) == MARKDOWN


@pytest.mark.parametrize("length", [1, 2, 7, 40, 300])
def test_what_is_marked_is_the_span_wherever_it_lies(length):
    layout = lay_out_markdown(MARKDOWN)[0]
    for start in range(0, len(MARKDOWN) - length, 3):
        blocks = lay_out(MARKDOWN, span=(start, start + length), layout=layout)
        assert marked(blocks) == MARKDOWN[start : start + length]


def test_exactly_one_visible_part_is_the_anchor_wherever_the_span_lies():
    layout = lay_out_markdown(MARKDOWN)[0]
    for start in range(len(MARKDOWN) - 4):
        blocks = lay_out(MARKDOWN, span=(start, start + 4), layout=layout)
        anchored = [part for part in all_parts(blocks) if part.anchor]
        assert [(part.anchor, part.kind) for part in anchored] == [(ANCHOR, "marked")]


def test_marks_of_markdown_are_hidden_and_words_are_shown():
    blocks = {block.kind: block for block in lay_out(MARKDOWN)}
    assert shown(blocks["code"].parts) == "systemctl restart queue"
    assert shown(blocks["quote"].parts) == "Quoted words\ngo on."
    heading, below = [block for block in lay_out(MARKDOWN) if block.kind == "heading"]
    assert (shown(heading.parts), heading.level) == ("Machine register", 1)
    assert (shown(below.parts), below.level) == ("Below a line", 2)
    paragraph = next(block for block in lay_out(MARKDOWN) if block.kind == "paragraph")
    assert shown(paragraph.parts) == "Every machine above $500 is in the list, see ls."
    kinds = {part.text: part.kind for part in paragraph.parts}
    assert (kinds["above $500"], kinds["ls"]) == ("strong", "code")


def test_items_keep_their_marks_and_depths():
    lines = [line for block in lay_out(MARKDOWN) for line in block.lines]
    assert [(shown(line.marker), line.depth, shown(line.parts).strip()) for line in lines] == [
        ("-", 0, "First item,\n  which goes on"),
        ("-", 1, "Deeper item"),
        ("1.", 0, "Numbered"),
    ]


def test_tables_become_rows_and_cells():
    table = next(block for block in lay_out(MARKDOWN) if block.kind == "table")
    assert [(row.header, [shown(cell) for cell in row.cells]) for row in table.rows] == [
        (True, ["Machine", "Room"]),
        (False, ["Kiln \\| small", "Yard"]),
        (False, ["Lathe", ""]),
    ]


def test_text_of_a_page_keeps_what_looks_like_markdown():
    text, layout, _ = read_html("<h1># 5</h1><p>a **b**</p><table><tr><td>x<td>y</table>")
    blocks = lay_out(text, layout=layout, markdown=False)
    assert [shown(block.parts) for block in blocks[:2]] == ["# 5", "a **b**"]
    assert [[shown(cell) for cell in row.cells] for row in blocks[2].rows] == [["x", "y"]]


def test_markup_stays_text():
    blocks = lay_out("<script>alert(1)</script>\n\n<b>bold</b>\n")
    assert "".join(part.text for part in all_parts(blocks)).startswith("<script>alert(1)</script>")


def test_a_text_without_layout_is_one_plain_block():
    blocks = lay_out("Only words.", layout=Layout(), markdown=False)
    assert [(block.kind, shown(block.parts)) for block in blocks] == [("plain", "Only words.")]


def test_an_empty_text_has_no_blocks():
    assert lay_out("", layout=Layout()) == []


def test_heading_path_leaves_out_the_title():
    text = "# Rules\n\n## Pay\n\nTen.\n\n### Late\n\nNine.\n\n## Leave\n\nTwo.\n"
    layout = lay_out_markdown(text)[0]
    assert heading_path_at(layout, text.index("Nine"), title="Rules") == ("Pay", "Late")
    assert heading_path_at(layout, text.index("Two"), title="Other") == ("Rules", "Leave")
    assert heading_path_at(layout, 0, title="Rules") == ()


def test_pages_are_named_where_they_begin():
    layout = Layout.from_json(
        {
            "blocks": [
                {"kind": "paragraph", "start": 0, "end": 3},
                {"kind": "paragraph", "start": 5, "end": 8},
            ],
            "pages": [{"start": 0, "end": 5, "label": "i"}, {"start": 5, "end": 8, "label": "ii"}],
        }
    )
    blocks = lay_out("One\n\nTwo", layout=layout, markdown=False)
    assert [block.page for block in blocks] == ["Page i", "Page ii"]
    assert page_label_at(layout, 6) == "Page ii"
    assert page_label_at(Layout(), 6) == ""


def test_a_megabyte_is_laid_out_in_small_windows_quickly():
    text = "\n\n".join(f"## Rule {n}\n\n" + "Words **and** more [x](y) " * 40 for n in range(1000))
    layout = lay_out_markdown(text)[0]
    assert len(text) > 1_000_000
    begun = time.perf_counter()
    windows = split_windows(text, layout)
    shape = TextLayout(text, layout, markdown=True, span=(900_000, 900_040))
    window = next(window for window in windows if window.start <= 900_000 < window.end)
    blocks = shape.lay_out(window)
    assert time.perf_counter() - begun < 1
    assert marked(blocks) == text[900_000:900_040]
    assert max(window.end - window.start for window in windows) <= 40_000


@pytest.mark.parametrize(
    "pattern", ["[" * 3, "**a", "`", "[a](", "_a ", "*a ", "| ", "> ", "- ", "[x]("]
)
def test_no_text_makes_laying_out_slow(pattern):
    text = pattern * (40_000 // len(pattern))
    begun = time.perf_counter()
    layout = Layout.from_json({"blocks": [{"kind": "paragraph", "start": 0, "end": len(text)}]})
    assert "".join(part.text for part in all_parts(lay_out(text, layout=layout))) == text
    assert time.perf_counter() - begun < 2


@pytest.mark.parametrize(
    ("name", "expected"), [("a.md", True), ("A.MARKDOWN ", True), ("a.txt", False), ("md", False)]
)
def test_only_markdown_has_marks_to_hide(name, expected):
    assert is_markdown(name) is expected
