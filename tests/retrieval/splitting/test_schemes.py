import math

import pytest

from retrieval.splitting.fixed import fixed_spans
from retrieval.splitting.recursive import recursive_spans
from retrieval.splitting.semantic import semantic_spans
from retrieval.splitting.wording import embedded_text, passage_prefix
from retrieval.types import SplitterParams
from tests.fakes import FakeEmbedder

PARAMS = SplitterParams(max_tokens=30, prefix_tokens=4, overlap_tokens=0)
count_tokens = FakeEmbedder().count_tokens
SPANS = [(0, 4), (4, 8), (8, 12)]


def test_fixed_windows_over_six_characters():
    assert list(fixed_spans(6, size=4, overlap=2)) == [(0, 4), (2, 6)]


@pytest.mark.parametrize(
    ("size", "overlap"), [(4, 4), (4, 5), (0, 0), (-1, 0), (True, 0), (4, False), (4, -1)]
)
def test_impossible_windows_are_refused(size, overlap):
    with pytest.raises(ValueError, match=r"size|overlap"):
        list(fixed_spans(6, size=size, overlap=overlap))


def test_recursive_spans_prefer_the_coarsest_separator():
    text = "One two.\n\nThree four five. Six."
    assert [text[start:end] for start, end in recursive_spans(text, max_chars=18)] == [
        "One two.\n\n",
        "Three four five. ",
        "Six.",
    ]


def test_recursive_spans_of_nothing():
    assert list(recursive_spans("", max_chars=5)) == []


@pytest.mark.parametrize("max_chars", [0, -1, True, 2.5])
def test_an_impossible_size_is_refused(max_chars):
    with pytest.raises(ValueError, match="max_chars"):
        list(recursive_spans("text", max_chars=max_chars))


def test_semantic_spans_join_what_is_alike():
    vectors: list[list[float]] = [[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]]
    spans = semantic_spans("abcdefghijkl", SPANS, vectors, threshold=0.4, max_chars=100)
    assert list(spans) == [(0, 8), (8, 12)]


@pytest.mark.parametrize("bad", [[0, 0], [math.nan, 1], [math.inf, 1]])
def test_a_vector_without_direction_is_refused(bad):
    vectors: list[list[float]] = [[1, 0], bad, [0, 1]]
    with pytest.raises(ValueError, match="direction"):
        list(semantic_spans("abcdefghijkl", SPANS, vectors, threshold=0, max_chars=9))


def test_an_oversized_group_is_split_by_structure():
    text = "one two three four"
    spans = semantic_spans(text, [(0, 18)], [[1, 0]], threshold=0, max_chars=8)
    assert [text[start:end] for start, end in spans] == ["one two ", "three ", "four"]


@pytest.mark.parametrize(
    ("title", "path", "expected"),
    [
        ("Rules", ("A", "B"), "Rules > A > B\n"),
        ("Rules", ("A", "B", "C", "D"), "Rules > B > C > D\n"),
        ("A very long title indeed", ("B",), "B\n"),
        ("A very long title indeed", (), ""),
        ("", (" \n ", "B\nC"), "B C\n"),
    ],
)
def test_the_outermost_headings_go_first_where_there_is_no_room(title, path, expected):
    assert passage_prefix(title, path, params=PARAMS, count_tokens=count_tokens) == expected


def test_embedded_text_has_the_headings_before_the_own_text():
    text = embedded_text(
        "Own text.\n", title="Rules", heading_path=("A",), params=PARAMS, count_tokens=count_tokens
    )
    assert text == "Rules > A\nOwn text."
