"""Reranking orders what was found; it adds nothing and loses nothing."""

import pytest

from retrieval.reranking import (
    RerankWeights,
    best_similarity,
    rerank_by_sentences,
    without_repeats,
)
from retrieval.results import RankedSentence
from retrieval.search import FoundPassage

EQUAL = RerankWeights(lexical=1, dense=1, sentence=1)


def found(number, *, start=0, end=10, revision=1, lexical=0.0, similarity=0.0, sentences=()):
    return FoundPassage(
        passage_id=number,
        revision_id=revision,
        document_id=1,
        revision_number=1,
        language="en",
        start=start,
        end=end,
        section_start=0,
        section_end=100,
        heading_path=(),
        kind="paragraph",
        page=None,
        lexical_rank=None,
        dense_rank=None,
        lexical_score=lexical,
        similarity=similarity,
        score=0.0,
        sentences=tuple(RankedSentence(start=0, end=1, similarity=s) for s in sentences),
    )


def order(passages):
    return [passage.passage_id for passage in passages]


def test_the_best_sentence_decides_between_equals():
    passages = [found(1, sentences=[0.2, 0.3]), found(2, sentences=[0.1, 0.9])]
    reranked = rerank_by_sentences(passages, EQUAL)
    assert order(reranked) == [2, 1]
    assert [passage.score for passage in reranked] == pytest.approx([1.0, 2 / 3])


def test_words_and_meaning_and_sentences_count_as_weighed():
    passages = [
        found(1, lexical=9, similarity=0.1, sentences=[0.1]),
        found(2, lexical=0, similarity=0.9, sentences=[0.1]),
        found(3, lexical=0, similarity=0.1, sentences=[0.9]),
    ]
    for weights, first in (
        (RerankWeights(lexical=3, dense=1, sentence=1), 1),
        (RerankWeights(lexical=1, dense=3, sentence=1), 2),
        (RerankWeights(lexical=1, dense=1, sentence=3), 3),
    ):
        assert order(rerank_by_sentences(passages, weights))[0] == first


def test_ties_keep_the_order_given():
    passages = [found(3), found(1), found(2)]
    assert order(rerank_by_sentences(passages, EQUAL)) == [3, 1, 2]


def test_nothing_is_added_or_lost():
    passages = [found(number, lexical=number % 3, similarity=number / 10) for number in range(9)]
    assert sorted(order(rerank_by_sentences(passages, EQUAL))) == list(range(9))
    assert rerank_by_sentences([], EQUAL) == []


def test_without_weights_the_order_stays():
    passages = [found(2, lexical=1), found(1, lexical=5)]
    nothing = RerankWeights(lexical=0, dense=0, sentence=0)
    assert rerank_by_sentences(passages, nothing) == passages


def test_a_passage_without_sentences_stands_for_itself():
    assert best_similarity(found(1, similarity=0.4)) == 0.4
    assert best_similarity(found(1, similarity=0.4, sentences=[0.1, 0.2])) == 0.2


@pytest.mark.parametrize(
    ("spans", "kept"),
    [
        ([(0, 10), (5, 15)], [0, 1]),
        ([(0, 10), (4, 14)], [0]),
        ([(0, 10), (10, 20)], [0, 1]),
        ([(0, 100), (20, 30)], [0]),
        ([(20, 30), (0, 100)], [0, 1]),
        ([(0, 10), (4, 14), (8, 18)], [0, 2]),
    ],
)
def test_a_passage_mostly_in_a_better_one_is_dropped(spans, kept):
    passages = [found(n, start=start, end=end) for n, (start, end) in enumerate(spans)]
    assert order(without_repeats(passages, most_overlap=0.5)) == kept


def test_the_same_span_of_another_revision_is_kept():
    passages = [found(1, revision=1), found(2, revision=2)]
    assert order(without_repeats(passages, most_overlap=0.0)) == [1, 2]
