from documents.extraction.plain import lay_out_plain


def blocks_of(text):
    return [(block.kind, text[block.start : block.end]) for block in lay_out_plain(text).blocks]


def test_blank_lines_part_paragraphs_whatever_ends_the_lines():
    text = "a\r\nb\r\n \t\r\nc\r\rd\u2029\u2029e\n\x0c\nf"
    assert blocks_of(text) == [
        ("paragraph", "a\r\nb"),
        ("paragraph", "c"),
        ("paragraph", "d"),
        ("paragraph", "e"),
        ("paragraph", "f"),
    ]


def test_repeated_paragraphs_have_their_own_offsets():
    layout = lay_out_plain("same\n\nsame\n")
    assert [(block.start, block.end) for block in layout.blocks] == [(0, 4), (6, 10)]


def test_underlined_lines_are_headings():
    text = "Club rules\n==========\nText.\n\n  Fees\n  ----\n\n退款规则\n========\n"
    layout = lay_out_plain(text)
    assert [(h.level, h.title, text[h.start : h.end]) for h in layout.headings] == [
        (1, "Club rules", "Club rules\n=========="),
        (2, "Fees", "Fees\n  ----"),
        (1, "退款规则", "退款规则\n========"),
    ]
    assert [kind for kind, _ in blocks_of(text)] == ["heading", "paragraph", "heading", "heading"]


def test_nothing_else_is_a_heading():
    text = "# not here\n\nRULES\n\nA long line of text above a short rule\n---\n\n---\n---\n"
    assert lay_out_plain(text).headings == ()
