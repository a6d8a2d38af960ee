import pytest

from documents.extraction.markdown import lay_out_markdown


def blocks_of(text):
    layout, _ = lay_out_markdown(text)
    return [(block.kind, text[block.start : block.end]) for block in layout.blocks]


def headings_of(text):
    layout, _ = lay_out_markdown(text)
    return [(h.level, h.title, text[h.start : h.end]) for h in layout.headings]


def test_blocks_of_every_kind_are_found_in_order():
    text = (
        "---\ntitle: Rules\n---\n# Rules\n\nOne\ntwo\n\n- a\n\n  more of a\n- b\n\n"
        "| x | y |\n|---|---|\n| 1 | 2 |\n\n```text\n# no heading\n```\n\n    indented\n\n"
        "> quoted\nlazily\n\n<div>\nraw\n</div>\n"
    )
    assert blocks_of(text) == [
        ("front_matter", "---\ntitle: Rules\n---"),
        ("heading", "# Rules"),
        ("paragraph", "One\ntwo"),
        ("list", "- a\n\n  more of a\n- b"),
        ("table", "| x | y |\n|---|---|\n| 1 | 2 |"),
        ("code", "```text\n# no heading\n```"),
        ("code", "indented"),
        ("quote", "> quoted\nlazily"),
        ("html", "<div>\nraw\n</div>"),
    ]


def test_headings_carry_their_level_lines_and_visible_title():
    text = "# A\n\nB\nc\n===\n\nD\n---\n\n### The _e_ [link](/x) `f` <a id='g'></a> &amp; h ###\n"
    assert headings_of(text) == [
        (1, "A", "# A"),
        (1, "B c", "B\nc\n==="),
        (2, "D", "D\n---"),
        (
            3,
            "The e link f & h",
            "### The _e_ [link](/x) `f` <a id='g'></a> &amp; h ###",
        ),
    ]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_offsets_count_every_kind_of_line_end(line_end):
    text = line_end.join(["first", "", "# Second", "", "third", ""])
    assert blocks_of(text) == [
        ("paragraph", "first"),
        ("heading", "# Second"),
        ("paragraph", "third"),
    ]
    assert headings_of(text) == [(1, "Second", "# Second")]


def test_line_separators_of_unicode_and_form_feeds_end_no_line():
    text = "a\u2028b\x0cc\x85d\n\n# E\n"
    assert blocks_of(text) == [("paragraph", "a\u2028b\x0cc\x85d"), ("heading", "# E")]


def test_heading_right_after_front_matter_is_found():
    text = "---\r\ntitle: Policy\r\n---\r\n### What\r\n"
    assert headings_of(text) == [(3, "What", "### What")]
    assert blocks_of(text)[0] == ("front_matter", "---\r\ntitle: Policy\r\n---")


def test_front_matter_is_kept_with_a_warning():
    _, warnings = lay_out_markdown("---\ntitle: Rules\n---\nText.\n")
    assert warnings == ("The file begins with front matter, which is kept as text.",)


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nA rule, then text.\n\n---\n",
        "---\ntitle: never closed\n\n# A\n",
        "\n---\na: b\n---\n",
    ],
)
def test_rules_and_unclosed_fences_are_no_front_matter(text):
    kinds = [kind for kind, _ in blocks_of(text)]
    assert kinds
    assert "front_matter" not in kinds


def test_template_tags_are_kept_with_a_warning():
    text = "Write to {% data variables.contact %} or {{ address }}.\n"
    layout, warnings = lay_out_markdown(text)
    assert warnings == ("2 template tag(s) are kept as text and not filled in.",)
    assert len(layout.blocks) == 1
    assert layout.skips == ()


def test_comment_alone_is_a_declared_skip():
    text = "# A\n\n<!-- one -->\n<!-- two\n\n# no heading\n-->\n\nB\n"
    layout, _ = lay_out_markdown(text)
    assert [(text[s.start : s.end], s.reason) for s in layout.skips] == [
        ("<!-- one -->", "comment"),
        ("<!-- two\n\n# no heading\n-->", "comment"),
    ]
    assert [h.title for h in layout.headings] == ["A"]


def test_words_between_comments_are_not_skipped():
    text = "<!-- a --> words <!-- b -->\n"
    layout, _ = lay_out_markdown(text)
    assert layout.skips == ()
    assert blocks_of(text) == [("html", text.strip())]


def test_comment_that_never_closes_hides_nothing():
    text = "<!-- oops\n\n# Deadline\n\nWednesday.\n"
    layout, _ = lay_out_markdown(text)
    assert layout.skips == ()
    assert headings_of(text) == [(1, "Deadline", "# Deadline")]


def test_headings_inside_html_lists_and_quotes_are_found():
    text = "<div>\n<h2 id='x'>In <b>html</b></h2>\n## Bare\n</div>\n\n- # Item\n\n> # Quote\n"
    assert headings_of(text) == [
        (2, "In html", "<h2 id='x'>In <b>html</b></h2>"),
        (2, "Bare", "## Bare"),
        (1, "Item", "- # Item"),
        (1, "Quote", "> # Quote"),
    ]


def test_link_definitions_and_rules_belong_to_a_paragraph():
    text = "[a]: /b\n\n***\n\nText [a].\n"
    assert blocks_of(text) == [("paragraph", "[a]: /b\n\n***"), ("paragraph", "Text [a].")]


def test_malformed_table_keeps_its_text():
    text = "| a | b |\n|---|\n| 1 | 2 |\n\n# After\n"
    assert blocks_of(text) == [("paragraph", "| a | b |\n|---|\n| 1 | 2 |"), ("heading", "# After")]


@pytest.mark.parametrize(
    "text",
    [
        "---\r\na: b\r\n" + "x\r\n" * 50_000,
        "---\n" + "# c\n" * 50_000,
        "{%" * 100_000,
        "<div>\n" + "<h1>" * 50_000,
        "<!-- -->" * 50_000 + " x",
        "# " + "*a_" * 50_000,
        "> " * 50_000,
        "[" * 100_000,
    ],
)
def test_hostile_repeats_take_no_quadratic_time(text):
    layout, _ = lay_out_markdown(text)
    assert layout.blocks[-1].end == len(text.rstrip())
