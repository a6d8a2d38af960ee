import pytest

from retrieval.splitting.sentences import sentence_spans


def sentences(text, kind="paragraph"):
    return [text[start:end] for start, end in sentence_spans(text, 0, len(text), kind=kind)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Closes Friday. Opens Monday!", ["Closes Friday.", "Opens Monday!"]),
        ("See e.g. section 4. It is U.S. law.", ["See e.g. section 4.", "It is U.S. law."]),
        ("See No. 5 of it. He said no. Then left.", None),
        ("Dr. Smith agreed. “Really?” Yes…", ["Dr. Smith agreed.", "“Really?”", "Yes…"]),
        ("Version 2.0.1 costs 3.50 euros.", ["Version 2.0.1 costs 3.50 euros."]),
        ("One\nline wrapped.\n\nNext", ["One\nline wrapped.", "Next"]),
        ("- one. Two\n- three\n1. four\n2) five", None),
        ("外币汇率按中间价。第二句！“对吗？”是的。", None),
        ("यह पहला है। यह दूसरा है।", ["यह पहला है।", "यह दूसरा है।"]),
        ("", []),
        ("  \n ", []),
    ],
)
def test_sentences_of_a_paragraph(text, expected):
    others = {
        "See": ["See No. 5 of it.", "He said no.", "Then left."],
        "- o": ["- one.", "Two", "- three", "1. four", "2) five"],
        "外币汇": ["外币汇率按中间价。", "第二句！", "“对吗？”", "是的。"],
    }
    assert sentences(text) == (others[text[:3]] if expected is None else expected)


def test_rows_of_a_table_stand_for_themselves_and_the_rule_with_the_head():
    text = "| a | b |\n|---|---|\n| 1. X | 2 |\n| 3 | 4 |\n"
    assert sentences(text, kind="table") == ["| a | b |\n|---|---|", "| 1. X | 2 |", "| 3 | 4 |"]


def test_offsets_count_from_the_start_of_the_text():
    text = "Not this. Closes Friday. Opens Monday. Nor this."
    assert sentence_spans(text, 10, 38, kind="paragraph") == [(10, 24), (25, 38)]
