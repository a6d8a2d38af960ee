import math

import pytest

from retrieval.bm25 import Bm25Params, passage_weights, question_weights

PARAMS = Bm25Params(k1=1.2, b=0.75, pivot=4)


def test_weights_follow_the_formula():
    weights = passage_weights(["refund", "day", "refund", "fourteen"], PARAMS)
    assert weights == {
        "refund": pytest.approx(2 * 2.2 / (2 + 1.2)),
        "day": pytest.approx(2.2 / 2.2),
        "fourteen": pytest.approx(1.0),
    }


def test_a_longer_passage_weighs_less():
    short = passage_weights(["refund"], PARAMS)["refund"]
    long = passage_weights(["refund", *"abcdefg"], PARAMS)["refund"]
    assert long < 1 < short


def test_nothing_has_no_weights():
    assert passage_weights([], PARAMS) == {}


def test_the_rarest_lexemes_come_first():
    weights = question_weights(
        ["the", "refund", "budget", "refund"],
        passages_with={"the": 90, "refund": 5, "budget": 5},
        passages=100,
    )
    assert list(weights) == ["budget", "refund", "the"]
    assert weights["refund"] == pytest.approx(math.log(1 + 95.5 / 5.5))


def test_lexemes_that_no_passage_holds_are_left_out():
    assert question_weights(["ghost"], passages_with={}, passages=100) == {}
    assert question_weights(["ghost"], passages_with={"ghost": 3}, passages=0) == {}


def test_a_limit_keeps_the_rarest():
    counts = {"a": 3, "b": 1, "c": 2}
    assert list(question_weights("abc", passages_with=counts, passages=9, limit=2)) == ["b", "c"]


def test_lagging_statistics_never_make_a_weight_negative():
    weights = question_weights(["a"], passages_with={"a": 12}, passages=10)
    assert weights["a"] > 0


@pytest.mark.parametrize(
    "values",
    [
        {"k1": -1.0, "b": 0.5, "pivot": 10.0},
        {"k1": math.nan, "b": 0.5, "pivot": 10.0},
        {"k1": 1.2, "b": 1.5, "pivot": 10.0},
        {"k1": 1.2, "b": 0.5, "pivot": 0.0},
        {"k1": 1.2, "b": 0.5, "pivot": math.inf},
    ],
)
def test_impossible_parameters_are_refused(values):
    with pytest.raises(ValueError, match="must"):
        Bm25Params(**values)
