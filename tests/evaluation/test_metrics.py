"""Metrics: the worked examples come out exactly, and what is undefined stays undefined."""

import math

import pytest

from evaluation import metrics
from evaluation.types import FileSpan


def span(start, end, file="a.md"):
    return FileSpan(file, start, end)


@pytest.mark.parametrize(
    ("gold", "ranked", "expected"),
    [
        ({"a", "b"}, ["x", "a"], (1.0, 0.5, 0.5)),
        ({"a", "b"}, ["a", "a", "b"], (1.0, 1.0, 1.0)),
        ({"a", "b"}, [], (0.0, 0.0, 0.0)),
        (set(), ["x", "a"], (None, None, 0.0)),
    ],
)
def test_any_hit_recall_and_precision_at_two(gold, ranked, expected):
    measured = (
        metrics.any_hit(gold, ranked, k=2),
        metrics.recall(gold, ranked, k=2),
        metrics.precision(gold, ranked, k=2),
    )
    assert measured == expected


def test_context_precision_of_the_worked_example():
    measured = metrics.context_precision([True, False, True, False, False])
    assert measured == pytest.approx((1 + 2 / 3) / 2)
    assert round(measured, 4) == 0.8333


def test_context_precision_of_nothing_relevant_is_zero():
    assert metrics.context_precision([False, False]) == 0.0


def test_faithfulness_is_the_share_of_supported_claims():
    assert metrics.faithfulness(3, 4) == 0.75


def test_faithfulness_without_claims_is_undefined():
    assert metrics.faithfulness(0, 0) is None


def test_faithfulness_refuses_more_supported_than_claimed():
    with pytest.raises(ValueError, match="5 of 4"):
        metrics.faithfulness(5, 4)


def test_macro_averages_over_defined_questions_and_says_how_many():
    assert metrics.macro([1.0, None, 0.5]) == metrics.Mean(0.75, 2)


def test_macro_over_nothing_is_undefined():
    assert metrics.macro([None, None]) == metrics.Mean(None, 0)


def test_micro_divides_totals():
    assert metrics.micro([(1, 2), (3, 8)]) == metrics.Mean(0.4, 2)


def test_micro_over_nothing_is_undefined():
    assert metrics.micro([]) == metrics.Mean(None, 0)


def test_reciprocal_rank_drops_repeats_before_ranks_are_given():
    assert metrics.reciprocal_rank({"b"}, ["a", "a", "b"]) == 0.5


def test_reciprocal_rank_is_zero_without_a_find_and_undefined_without_gold():
    assert metrics.reciprocal_rank({"b"}, ["a"]) == 0.0
    assert metrics.reciprocal_rank(set(), ["a"]) is None


def test_ndcg_of_the_best_order_is_one():
    assert metrics.ndcg({"a": 1.0, "b": 1.0}, ["b", "a", "x"], k=10) == pytest.approx(1.0)


def test_ndcg_discounts_by_the_logarithm_of_the_rank():
    measured = metrics.ndcg({"a": 1.0, "b": 1.0}, ["x", "a"], k=10)
    assert measured == pytest.approx((1 / math.log2(3)) / (1 + 1 / math.log2(3)))


def test_ndcg_takes_only_as_many_gains_as_places_for_the_best_order():
    assert metrics.ndcg({"a": 1.0, "b": 1.0}, ["a"], k=1) == pytest.approx(1.0)


def test_ndcg_without_gain_is_undefined():
    assert metrics.ndcg({"a": 0.0}, ["a"], k=10) is None


def test_coverage_counts_each_gold_character_once_over_overlapping_passages():
    assert metrics.span_coverage([span(10, 20)], [span(5, 15), span(12, 18)]) == 0.8


def test_coverage_is_taken_over_gold_spans_in_several_files():
    gold = [span(0, 10), span(0, 30, "b.md")]
    assert metrics.span_coverage(gold, [span(0, 10), span(0, 10, "c.md")]) == 0.25


def test_coverage_of_the_same_offsets_in_another_file_is_zero():
    assert metrics.span_coverage([span(0, 10)], [span(0, 10, "b.md")]) == 0.0


def test_coverage_without_gold_is_undefined():
    assert metrics.span_coverage([], [span(0, 10)]) is None


def test_overlapping_gold_spans_count_once():
    assert metrics.span_coverage([span(0, 10), span(5, 15)], [span(0, 10)]) == pytest.approx(2 / 3)


def test_precision_divides_by_the_distinct_cited_characters():
    assert metrics.span_precision([span(0, 10)], [span(0, 20), span(10, 20)]) == 0.5


def test_precision_without_citation_is_undefined():
    assert metrics.span_precision([span(0, 10)], []) is None


def test_passage_precision_counts_repeated_characters_as_often_as_retrieved():
    assert metrics.passage_precision([span(0, 10)], [span(0, 20), span(0, 20)]) == 0.25


def test_passage_iou_adds_the_gold_that_was_not_found():
    assert metrics.passage_iou([span(0, 10)], [span(5, 25)]) == 0.2


def test_first_touching_is_the_rank_of_the_first_gold_character():
    assert metrics.first_touching([span(10, 20)], [span(0, 10), span(19, 30)]) == 2


def test_first_touching_nothing_is_undefined():
    assert metrics.first_touching([span(10, 20)], [span(0, 10)]) is None


def test_merged_spans_join_where_they_touch_and_drop_the_empty():
    merged = metrics.merge_spans([span(5, 9), span(0, 5), span(7, 7), span(20, 21)])
    assert merged == [span(0, 9), span(20, 21)]


def test_percentiles_lie_between_neighbours():
    assert metrics.percentile([1.0, 2.0, 3.0, 4.0], 0.5) == 2.5


def test_percentile_of_nothing_is_undefined():
    assert metrics.percentile([], 0.5) is None


def test_the_same_values_and_seed_give_the_same_interval():
    values = [0.0, 0.5, 1.0, 1.0, 0.75]
    first = metrics.bootstrap_interval(values)
    assert first is not None
    assert first == metrics.bootstrap_interval(values)
    assert first[0] < 0.65 < first[1]


def test_the_interval_of_equal_values_is_that_value():
    assert metrics.bootstrap_interval([0.5, 0.5]) == (0.5, 0.5)


def test_the_interval_of_nothing_is_undefined():
    assert metrics.bootstrap_interval([]) is None
