import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.fusion import Scored, fuse_ranks, fuse_scores, fuse_shares

pytestmark = pytest.mark.fuzz

LISTS = st.lists(st.lists(st.integers(0, 20), max_size=15), max_size=4)
NUMBERS = st.floats(-1e6, 1e6)
SCORED = st.lists(st.lists(st.builds(Scored, st.integers(0, 20), NUMBERS), max_size=15), max_size=4)


@given(LISTS, st.floats(0.1, 1000))
def test_fused_ranks_are_ordered_and_complete(lists, constant):
    fused = fuse_ranks(lists, constant=constant)
    assert {key for key, _ in fused} == {key for keys in lists for key in keys}
    assert len(fused) == len({key for key, _ in fused})
    assert fused == sorted(fused, key=lambda item: (-item.score, item.key))
    assert all(0 < score <= len(lists) / (constant + 1) + 1e-9 for _, score in fused)


@given(SCORED)
def test_fused_scores_are_ordered_and_bounded(lists):
    fused = fuse_scores(lists)
    assert {key for key, _ in fused} == {key for members in lists for key, _ in members}
    assert fused == sorted(fused, key=lambda item: (-item.score, item.key))
    assert all(-1e-9 <= score <= len(lists) + 1e-9 for _, score in fused)


@given(LISTS)
def test_the_order_of_the_lists_changes_nothing(lists):
    forward = {key: pytest.approx(score) for key, score in fuse_ranks(lists, constant=60)}
    assert dict(fuse_ranks(lists[::-1], constant=60)) == forward


@given(st.lists(st.builds(Scored, st.integers(0, 20), st.floats(0, 50)), max_size=15), SCORED)
def test_fused_shares_are_ordered_and_complete(words, others):
    meaning = others[0] if others else []
    fused = fuse_shares(words, meaning, question_total=25)
    assert {key for key, _ in fused} == {key for key, _ in [*words, *meaning]}
    assert fused == sorted(fused, key=lambda item: (-item.score, item.key))
    assert all(-1e-9 <= score <= 3 + 1e-9 for _, score in fused)
