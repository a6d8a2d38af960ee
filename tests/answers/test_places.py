from answers.places import heading_path_at, page_at
from documents.extraction.types import Heading, Layout, Page

LAYOUT = Layout(
    headings=(
        Heading(start=0, end=5, level=1, title="Rules"),
        Heading(start=10, end=15, level=2, title="Fees"),
        Heading(start=30, end=35, level=2, title="Dates"),
    ),
    pages=(Page(start=0, end=20, label="i"), Page(start=20, end=50, label="1")),
)


def test_headings_above_an_offset_stand_outermost_first():
    assert heading_path_at(LAYOUT, 12) == ("Rules", "Fees")
    assert heading_path_at(LAYOUT, 40) == ("Rules", "Dates")


def test_nothing_stands_above_a_text_without_headings():
    assert heading_path_at(Layout(), 4) == ()


def test_pages_are_counted_from_one():
    assert page_at(LAYOUT, 19) == 1
    assert page_at(LAYOUT, 20) == 2
    assert page_at(Layout(), 4) is None
