from documents.extraction.html import read_html


def text_of(source):
    return read_html(source)[0]


def blocks_of(source):
    text, layout, _ = read_html(source)
    return [(block.kind, text[block.start : block.end]) for block in layout.blocks]


def test_only_what_a_reader_sees_is_kept():
    source = (
        "<title>T</title><style>p{}</style><script>let a</script><template><p>t</p></template>"
        "<!-- c --><iframe src='http://outside.example/'></iframe><noscript>n</noscript>"
        "<svg><text>s</text></svg><p>Refunds &amp; fees<img src='http://outside.example/x.png'></p>"
    )
    assert text_of(source) == "Refunds & fees"


def test_spaces_collapse_and_inline_elements_join():
    assert text_of("<p>The <b>lim</b>it\n  is\t<i> 5 </i>units </p>") == "The limit is 5 units"


def test_headings_have_level_title_and_offsets():
    text, layout, _ = read_html("<p>before<h2>Rules <em>of</em>\nthe<br>club</h2>after")
    assert text == "before\n\nRules of the\nclub\n\nafter"
    assert [(h.level, h.title, text[h.start : h.end]) for h in layout.headings] == [
        (2, "Rules of the club", "Rules of the\nclub")
    ]


def test_empty_heading_is_none():
    assert read_html("<h1> <img src=x> </h1><p>a")[1].headings == ()


def test_lists_show_their_marks():
    source = "<ul><li>a<ul><li>b<li>c</ul><li><p>d</p><p>e</p></ul><ol start=3><li>x<li>y</ol>"
    assert blocks_of(source) == [
        ("list", "- a\n  - b\n  - c\n- d\ne"),
        ("list", "3. x\n4. y"),
    ]


def test_table_rows_are_lines_and_empty_cells_keep_their_place():
    source = (
        "<table><caption>Fees</caption><tr><th>A<th>B<th>C"
        "<tr><td>1<td><td><p>3</p><p>4</p><tr><td><td>5<tr><td><td></table>"
    )
    assert blocks_of(source) == [("table", "Fees\nA | B | C\n1 |  | 3 4\n| 5")]


def test_table_that_arranges_the_page_is_no_table():
    source = "<table><tr><td><h2>Rules</h2><p>text<td><table><tr><td>i<td>j</table></table>"
    assert blocks_of(source) == [("heading", "Rules"), ("paragraph", "text"), ("table", "i | j")]


def test_preformatted_text_keeps_its_spaces():
    assert blocks_of("<pre>\n a\n   b</pre><p>c") == [("code", " a\n   b"), ("paragraph", "c")]


def test_one_break_is_a_line_and_two_are_a_paragraph():
    assert blocks_of("a<br>b<br>\n<br>c") == [("paragraph", "a\nb"), ("paragraph", "c")]


def test_no_break_spaces_alone_are_no_text():
    assert blocks_of("<p>&nbsp;</p><p>a&nbsp;b</p>") == [("paragraph", "a\xa0b")]


def test_hidden_text_is_kept_with_a_warning():
    text, _, warnings = read_html(
        "<p>35<p style='Display: None'>99<p hidden>98<p style='color:#FFF'>97"
    )
    assert text == "35\n\n99\n\n98\n\n97"
    assert warnings == ("3 element(s) hold text hidden from a reader of the page; it is kept.",)


def test_white_words_on_a_coloured_ground_are_not_hidden():
    assert read_html("<p style='background: navy; color: white'>open")[2] == ()


def test_controls_written_as_references_are_made_visible():
    text, _, warnings = read_html("<p>a&#1;b&#xfffe;c&#0;d")
    assert text == "a\u2401b\\ufffec\ufffdd"
    assert warnings == ("Control characters written as references are made visible.",)


def test_deep_nesting_needs_no_recursion():
    assert text_of("<p>x" + "<div>" * 5_000 + "deep") == "x\n\ndeep"
