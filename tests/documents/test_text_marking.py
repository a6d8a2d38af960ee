"""Runs of a text: joined they are the text, the marked ones the span."""

import pytest

from documents.text_marking import Marker, Stretch, inline_stretches, running_stretches


def parts_of(text, *, span=None, cut=inline_stretches):
    return Marker(text, span, anchor="mark").mark(cut(text, 0, len(text)))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a **b** c", "a b c"),
        ("see [the rule](/rule#x) now", "see the rule now"),
        ("**[the rule](/rule)** counts", "the rule counts"),
        ("![a plan](plan.png)", "a plan"),
        ("use `a_b_c` or _this_ or *that*", "use a_b_c or this or that"),
        ("2 * 3 * 4 and snake_case_name", "2 * 3 * 4 and snake_case_name"),
        ("open ** and [open", "open ** and [open"),
        ("[a](b(c)d)", "[a](b(c)d)"),
    ],
)
def test_inline_marks_are_hidden_and_stay_in_the_text(text, shown):
    parts = parts_of(text)
    assert "".join(part.text for part in parts) == text
    assert "".join(part.text for part in parts if part.kind != "quiet") == shown


def test_running_text_hides_marks_at_the_start_of_its_lines():
    text = "## Closing\n\nRegistration **closes\non** Friday.\n- First\n> Said"
    parts = parts_of(text, cut=running_stretches)
    assert "".join(part.text for part in parts) == text
    shown = "".join(part.text for part in parts if part.kind != "quiet")
    assert shown == "Closing\n\nRegistration closes\non Friday.\nFirst\nSaid"
    assert parts[1].kind == "strong"
    assert [part.text for part in parts if part.kind == "line_end"] == ["\n"] * 3


def test_rows_of_a_table_keep_their_lines_and_lose_the_row_of_dashes():
    text = "| Machine | Room |\n|---|---|\n| Kiln | Yard |"
    parts = parts_of(text, cut=running_stretches)
    assert "".join(part.text for part in parts) == text
    shown = "".join(part.text for part in parts if part.kind != "quiet")
    assert shown == "Machine | Room\nKiln | Yard"


def test_marked_parts_join_up_to_the_span_across_hidden_marks():
    text = "a **bold** word"
    parts = parts_of(text, span=(1, 12))
    marked = [part for part in parts if part.kind.startswith("marked")]
    assert "".join(part.text for part in marked) == " **bold** w"
    assert [part.kind for part in marked if part.text == "**"] == ["marked_quiet"] * 2
    assert [part.anchor for part in marked] == ["mark", "", "", "", ""]


def test_a_span_of_nothing_but_hidden_marks_is_shown():
    parts = parts_of("a **bold**", span=(2, 4))
    assert [(part.text, part.kind) for part in parts if part.anchor] == [("**", "marked")]


def test_empty_stretches_leave_no_parts():
    assert Marker("ab", None).mark([Stretch(0, 0), Stretch(0, 2), Stretch(2, 2)])[0].text == "ab"
