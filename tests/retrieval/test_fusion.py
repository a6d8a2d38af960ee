import math

import pytest

from retrieval.fusion import Scored, fuse_ranks, fuse_scores, fuse_shares


def test_reciprocal_ranks_of_two_lists_add_up():
    fused = fuse_ranks([["A", "B"], ["C", "A"]], constant=10)
    assert [key for key, _ in fused] == ["A", "C", "B"]
    assert [score for _, score in fused] == pytest.approx([1 / 11 + 1 / 12, 1 / 11, 1 / 12])


def test_repeats_are_dropped_before_ranks_are_given():
    assert fuse_ranks([["a", "a", "b"]], constant=60) == [("a", 1 / 61), ("b", 1 / 62)]


def test_one_list_adds_to_a_key_once():
    assert fuse_ranks([["a", "a"], ["a"]], constant=60) == [("a", 2 / 61)]


def test_ties_go_to_the_lower_key():
    assert [key for key, _ in fuse_ranks([["b"], ["a"]], constant=60)] == ["a", "b"]


@pytest.mark.parametrize("lists", [[], [[]], [[], []]])
def test_empty_lists_give_nothing(lists):
    assert fuse_ranks(lists, constant=60) == []


@pytest.mark.parametrize(
    "constant", [0, -1, math.nan, math.inf, -math.inf, True, False, "60", None]
)
def test_an_impossible_constant_is_refused(constant):
    with pytest.raises(ValueError, match="constant of reciprocal rank fusion"):
        fuse_ranks([["a"]], constant=constant)


def test_weights_scale_each_list():
    fused = fuse_ranks([["a"], ["b"]], constant=1, weights=[1, 3])
    assert fused == [("b", 1.5), ("a", 0.5)]


def test_a_list_of_weight_zero_adds_no_keys():
    assert fuse_ranks([["a"], ["b"]], constant=1, weights=[1, 0]) == [("a", 0.5)]
    assert fuse_scores([[Scored("a", 2)], [Scored("b", 2)]], weights=[1, 0]) == [("a", 1.0)]


@pytest.mark.parametrize("weights", [[1], [1, -1], [1, math.nan], [1, math.inf], [1, True]])
def test_impossible_weights_are_refused(weights):
    with pytest.raises(ValueError, match="weight"):
        fuse_ranks([["a"], ["b"]], constant=60, weights=weights)


def test_scores_are_stretched_to_the_unit_interval_before_they_add_up():
    words = [Scored(1, 30.0), Scored(2, 20.0), Scored(3, 10.0)]
    meaning = [Scored(3, 0.9), Scored(2, 0.8), Scored(4, 0.5)]
    fused = fuse_scores([words, meaning], weights=[1, 0.8])
    assert [key for key, _ in fused] == [2, 1, 3, 4]
    assert [score for _, score in fused] == pytest.approx([0.5 + 0.8 * 0.75, 1.0, 0.8, 0.0])


def test_equal_scores_give_one_to_each():
    assert fuse_scores([[Scored("b", 3.0), Scored("a", 3.0)]]) == [("a", 1.0), ("b", 1.0)]


def test_of_a_repeated_key_only_the_first_score_counts():
    lists = [[Scored("a", 3.0), Scored("b", 2.0), Scored("a", 1.0)]]
    assert fuse_scores(lists) == [("a", 1.0), ("b", 0.0)]


def test_a_score_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="finite"):
        fuse_scores([[Scored("a", math.nan)]])


def test_words_count_as_a_share_of_the_question():
    words = [Scored(1, 6.0), Scored(2, 3.0)]
    meaning = [Scored(2, 0.9), Scored(3, 0.7), Scored(1, 0.5)]
    fused = fuse_shares(words, meaning, question_total=12.0, weights=[1, 0.9])
    assert [key for key, _ in fused] == [2, 1, 3]
    assert [score for _, score in fused] == pytest.approx([0.25 + 0.9, 0.5, 0.45])


def test_shares_take_the_first_of_a_repeated_key_and_leave_out_what_has_no_weight():
    words = [Scored("a", 4.0), Scored("a", 1.0)]
    assert fuse_shares(words, [], question_total=4.0) == [("a", 1.0)]
    assert fuse_shares(words, [Scored("b", 1)], question_total=4.0, weights=[0, 1]) == [("b", 1.0)]


@pytest.mark.parametrize("total", [0, -1, math.nan, math.inf])
def test_an_impossible_total_is_refused(total):
    with pytest.raises(ValueError, match="total"):
        fuse_shares([], [], question_total=total)
