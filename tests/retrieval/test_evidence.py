from dataclasses import replace

import pytest

from retrieval.evidence import choose_evidence, drop_repeats, pack
from tests.answers.evidence_builders import count_words, evidence_of, ranked

RULE = "Registration closes Wednesday. This applies to in-person events only. Bring a badge."


def test_packing_accepts_what_fits_skips_what_does_not_and_goes_on():
    assert pack([6, 6, 4], budget=10) == [0, 2]
    assert 10 - sum([6, 6, 4][place] for place in [0, 2]) == 0


def test_a_budget_of_nothing_packs_nothing():
    assert pack([6, 6, 4], budget=0) == []
    assert pack([0], budget=0) == []


@pytest.mark.parametrize(("lengths", "budget"), [([1], -1), ([-1], 5)])
def test_negative_budgets_and_lengths_are_refused(lengths, budget):
    with pytest.raises(ValueError, match="at least 0"):
        pack(lengths, budget=budget)


def test_what_was_retained_but_did_not_fit_is_reported():
    texts = {1: "One two three four five six.", 2: "Another six words are right here.", 3: "Short."}
    passages = [ranked(text, revision_id=number) for number, text in texts.items()]
    chosen = choose_evidence(
        passages,
        texts,
        count_tokens=count_words,
        budget_tokens=7,
        most_overlap=0.5,
        known_languages=frozenset({"en"}),
    )
    assert [item.passage.revision_id for item in chosen.packed] == [1, 3]
    assert [item.passage.revision_id for item in chosen.skipped] == [2]
    assert chosen.used_tokens == 7


def test_a_passage_mostly_held_by_better_ones_is_a_repeat():
    text = "x" * 100
    best, next_to_it, inside = (
        ranked(text, start=start, end=end) for start, end in [(0, 40), (30, 90), (10, 45)]
    )
    assert drop_repeats([best, next_to_it, inside], most_overlap=0.5) == (
        [best, next_to_it],
        [inside],
    )


def test_the_same_text_in_two_documents_is_offered_once():
    text = "Refunds take 14 days."
    first, second = ranked(text, revision_id=1), ranked(text, revision_id=2)
    assert drop_repeats([first, second], most_overlap=0.5) == ([first], [second])


def test_a_sentence_behind_the_passage_that_limits_it_comes_along():
    [item] = evidence_of({1: RULE}, ranked(RULE, end=30))
    assert item.text == "Registration closes Wednesday. This applies to in-person events only."
    assert (item.start, item.end) == (0, 69)
    assert [sentence.similarity for sentence in item.sentences] == [0.5, None]


def test_a_sentence_behind_the_passage_that_limits_nothing_stays_behind():
    text = "Registration closes Wednesday. Bring a badge."
    [item] = evidence_of({1: text}, ranked(text, end=30))
    assert item.text == "Registration closes Wednesday."


def test_a_passage_that_opens_with_an_exception_brings_the_rule_before_it():
    text = "Entry is free. However, guests pay a fee."
    [item] = evidence_of({1: text}, ranked(text, start=15))
    assert item.text == text


def test_a_neighbour_of_another_section_never_comes_along():
    passage = replace(ranked(RULE, end=30), section_end=30)
    [item] = evidence_of({1: RULE}, passage)
    assert item.text == "Registration closes Wednesday."


def test_similarities_in_a_language_that_the_model_does_not_know_are_left_out():
    text = "报名截止到星期三。"
    [item] = evidence_of({1: text}, ranked(text, language="zh"))
    assert [sentence.similarity for sentence in item.sentences] == [None]


def test_a_passage_whose_text_may_not_be_read_is_dropped():
    assert evidence_of({}, ranked(RULE)) == ()
