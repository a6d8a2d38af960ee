import pytest

from answers.confidence import Calibration, Signals, estimate, read_signals
from tests.answers.evidence_builders import brief_of, ranked

CURVE = Calibration(
    means={"similarity": 0.5, "coverage": 0.5, "agreement": 0.5},
    spreads={"similarity": 0.1, "coverage": 0.1, "agreement": 0.1},
    weights={"similarity": 1.0, "coverage": 1.0, "agreement": 1.0},
    bias=0.0,
    threshold=0.5,
)
TEXT = "Valve DS-7605 needs seal kit SK-1234."


def signals_of(question, text=TEXT, term_weights=None, **changes):
    return read_signals(brief_of(question, {1: text}, ranked(text, **changes)), term_weights or {})


def test_a_sign_at_its_mean_speaks_neither_for_nor_against():
    middle = Signals(similarity=0.5, coverage=0.5, agreement=0.5, identifiers_held=True)
    assert estimate(middle, CURVE) == 0.5


def test_a_missing_similarity_speaks_neither_for_nor_against():
    unknown = Signals(similarity=None, coverage=0.5, agreement=0.5, identifiers_held=True)
    assert estimate(unknown, CURVE) == 0.5


def test_confidence_rises_with_each_sign_and_stays_within_0_and_1():
    low = Signals(similarity=0.1, coverage=0.0, agreement=0.0, identifiers_held=True)
    high = Signals(similarity=0.9, coverage=1.0, agreement=1.0, identifiers_held=True)
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


def test_in_a_language_that_the_model_does_not_know_words_agree_with_themselves():
    signals = signals_of("会议室", "会议室报名。", language="zh", lexical_rank=1, dense_rank=40)
    assert signals.similarity is None
    assert signals.agreement == pytest.approx(0.2)
