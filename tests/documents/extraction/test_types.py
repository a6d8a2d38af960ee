import json

import pytest

from documents.extraction.types import Block, Heading, Layout, Page, Skip

LAYOUT = Layout(
    headings=(Heading(start=0, end=7, level=1, title="Rules"),),
    blocks=(Block(kind="heading", start=0, end=7), Block(kind="paragraph", start=9, end=20)),
    pages=(Page(start=0, end=20, label="i"),),
    skips=(Skip(start=9, end=12, reason="comment"),),
)


def test_layout_comes_back_from_json_as_it_went():
    assert Layout.from_json(json.loads(json.dumps(LAYOUT.to_json()))) == LAYOUT


def test_layout_of_an_empty_object_is_empty():
    assert Layout.from_json({}) == Layout()


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {"blocks": None},
        {"blocks": [{"kind": "heading"}]},
        {"blocks": [{"kind": "heading", "start": 0, "end": 2, "box": 1}]},
        {"blocks": [{"kind": "sonnet", "start": 0, "end": 2}]},
        {"blocks": [{"kind": "code", "start": "0", "end": 2}]},
        {"blocks": [3]},
        {"headings": [{"start": 0, "end": 2, "level": 7, "title": "x"}]},
        {"skips": [{"start": 0, "end": 2, "reason": "dull"}]},
    ],
)
def test_layout_of_another_shape_is_refused(value):
    with pytest.raises(ValueError):
        Layout.from_json(value)


def test_overlapping_blocks_are_refused():
    with pytest.raises(ValueError, match="begins before 5"):
        Layout(
            blocks=(
                Block(kind="paragraph", start=0, end=5),
                Block(kind="paragraph", start=4, end=6),
            )
        )


def test_empty_span_is_refused():
    with pytest.raises(ValueError, match="not a span"):
        Block(kind="paragraph", start=3, end=3)
