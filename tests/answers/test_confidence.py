import pytest

from answers.confidence import FEATURES, Calibration, Signals, estimate, read_signals
from tests.answers.evidence_builders import brief_of, ranked

CURVE = Calibration(
    means=dict.fromkeys(FEATURES, 0.5),
    spreads=dict.fromkeys(FEATURES, 0.1),
    weights=dict.fromkeys(FEATURES, 1.0),
    bias=0.0,
    threshold=0.5,
)
TEXT = "Valve DS-7605 needs seal kit SK-1234."


def signals_of(question, text=TEXT, term_weights=None, permitted_passages=1000, **changes):
    brief = brief_of(question, {1: text}, ranked(text, **changes))
    return read_signals(brief, term_weights or {}, permitted_passages=permitted_passages)


def signals(**changes):
    return Signals(**{"amount": None, "identifiers_held": True, **changes})


def test_an_amount_that_nobody_asks_for_says_nothing():
    assert signals_of("Which seal kit does the valve need?").amount is None


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("Refunds take 14 days. Ask early.", 1.0),
        ("Refunds take long. They take 14 days.", 0.5),
        ("Refunds take long. Ask early.", 0.0),
    ],
)
def test_an_amount_that_is_asked_for_is_looked_for_in_the_best_sentences(text, amount):
    signs = signals_of("How many days do refunds take?", text, similarities=[0.9, 0.1])
    assert signs.amount == amount


def test_a_sign_at_its_mean_speaks_neither_for_nor_against():
    middle = signals(similarity=0.5, coverage=0.5, agreement=0.5)
    assert estimate(middle, CURVE) == 0.5


def test_signs_that_are_missing_are_taken_to_be_as_good_as_the_coverage():
    words_alone = signals(similarity=None, coverage=0.6, agreement=None)
    all_alike = signals(similarity=0.6, coverage=0.6, agreement=0.6)
    assert estimate(words_alone, CURVE) == estimate(all_alike, CURVE)


def test_confidence_rises_with_each_sign_and_stays_within_0_and_1():
    low = signals(similarity=0.1, coverage=0.0, agreement=0.0, amount=0.0)
    high = signals(similarity=0.9, coverage=1.0, agreement=1.0, amount=1.0)
    assert 0 < estimate(low, CURVE) < 0.01
    assert 0.99 < estimate(high, CURVE) < 1


def test_an_identifier_that_no_evidence_holds_weighs_decisively():
    assert signals_of("Which seal kit does valve DS-7605 need?").identifiers_held
    signals = signals_of("Which seal kit does valve DS-7606 need?")
    assert not signals.identifiers_held
    assert estimate(signals, CURVE) <= 0.1


def test_an_identifier_in_the_title_is_held():
    assert signals_of(
        "Which seal kit for DS-7606?", document_title="Parts of DS-7606"
    ).identifiers_held


@pytest.mark.parametrize(
    ("question", "coverage"), [("seal kit", 1.0), ("zebra stripes", 0.0), ("", 0.0)]
)
def test_coverage_is_the_share_of_the_words_asked_about(question, coverage):
    assert signals_of(question).coverage == coverage


def test_words_gathered_from_several_sentences_cover_nothing_together():
    text = "The budget is small. Machines are old. Repair is slow."
    assert signals_of("budget machines repair", text).coverage == pytest.approx(1 / 3)


def test_headings_and_title_are_read_with_the_sentence():
    signals = signals_of(
        "seal kit machines parts", heading_path=("Machines",), document_title="Parts"
    )
    assert signals.coverage == 1


def test_rare_words_weigh_more_in_the_coverage():
    weights = {"seal": 9.0, "zebra": 1.0}
    assert signals_of("seal zebra", term_weights=weights).coverage == pytest.approx(0.9)


def test_words_that_no_passage_holds_weigh_as_much_as_the_rarest():
    assert signals_of("seal zebra", term_weights={"seal": 4.0}).coverage == 0.5


@pytest.mark.parametrize(
    ("lexical_rank", "dense_rank", "agreement"),
    [(1, 1, 0.2), (5, 5, 0.2), (6, 1, 0.0), (1, 6, 0.0), (None, 1, 0.0), (1, None, 0.0)],
)
def test_agreement_counts_best_passages_that_both_ways_put_among_their_best(
    lexical_rank, dense_rank, agreement
):
    signals = signals_of("seal kit", lexical_rank=lexical_rank, dense_rank=dense_rank)
    assert signals.agreement == pytest.approx(agreement)


@pytest.mark.parametrize(
    ("permitted", "rank", "agreement"), [(300, 3, 0.2), (300, 4, 0.0), (20, 1, 0.2), (20, 2, 0.0)]
)
def test_among_few_passages_only_the_very_best_agree(permitted, rank, agreement):
    signals = signals_of(
        "seal kit", permitted_passages=permitted, lexical_rank=rank, dense_rank=rank
    )
    assert signals.agreement == pytest.approx(agreement)


def test_without_vectors_that_mean_something_words_speak_alone():
    signals = signals_of("会议室", "会议室报名。", language="zh", lexical_rank=1, dense_rank=40)
    assert (signals.similarity, signals.agreement, signals.coverage) == (None, None, 1.0)


@pytest.mark.parametrize(
    ("question", "coverage"),
    [("参观需要提前预约吗？", 1.0), ("参观收费吗？", 0.5), ("年假有几天？", 0.0)],
)
def test_chinese_is_covered_by_characters_and_not_by_the_words_that_ask(question, coverage):
    signals = signals_of(question, "周四的参观需要提前一天预约。", language="zh")
    assert signals.coverage == pytest.approx(coverage, abs=0.01)
