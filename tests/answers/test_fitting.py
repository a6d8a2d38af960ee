import pytest

from answers.confidence import Signals, estimate
from answers.fitting import LabelledSignals, TradeOff, choose, fit, leave_one_out, trade_offs


def case(subject, coverage, *, supported, **changes):
    signals = Signals(
        similarity=0.5, coverage=coverage, agreement=0.3, amount=None, identifiers_held=True
    )
    return LabelledSignals(
        subject=subject, signals=signals, supported=supported, answerable=supported, **changes
    )


CASES = [
    *(case(f"yes {number}", 0.6 + number / 50, supported=True) for number in range(10)),
    *(case(f"no {number}", 0.1 + number / 50, supported=False) for number in range(5)),
]


def test_the_curve_follows_the_sign_that_tells():
    curve = fit(CASES)
    assert curve.weights["coverage"] > 0.5
    assert curve.weights["agreement"] == 0
    assert estimate(CASES[0].signals, curve) > 0.5 > estimate(CASES[-1].signals, curve)


def test_the_same_cases_give_the_same_curve():
    assert fit(CASES) == fit(list(CASES))


def test_nothing_to_fit_to_is_refused():
    with pytest.raises(ValueError, match="nothing to fit"):
        fit([])


def test_a_case_is_judged_by_a_curve_that_has_not_seen_its_subject():
    twins = [*CASES, case("yes 0", 0.0, supported=False)]
    with_twin = leave_one_out(twins)[0]
    assert with_twin == pytest.approx(estimate(CASES[0].signals, fit(CASES[1:])))


def test_every_threshold_is_told_with_its_counts():
    options = trade_offs(CASES, [0.9] * 10 + [0.2] * 5)
    assert options == [
        TradeOff(
            threshold=0.0,
            answered_answerable=10,
            answerable=10,
            refused_unanswerable=0,
            unanswerable=5,
        ),
        TradeOff(
            threshold=0.55,
            answered_answerable=10,
            answerable=10,
            refused_unanswerable=5,
            unanswerable=5,
        ),
    ]


def test_cases_that_only_help_to_fit_are_not_counted():
    options = trade_offs([*CASES, case("extra", 0.0, supported=False, counts=False)], [0.5] * 16)
    assert [(o.answerable, o.unanswerable) for o in options] == [(10, 5)]


def option(answered, refused, threshold=0.5):
    return TradeOff(
        threshold=threshold,
        answered_answerable=answered,
        answerable=10,
        refused_unanswerable=refused,
        unanswerable=5,
    )


def test_the_highest_threshold_that_answers_enough_is_chosen():
    options = [option(10, 1, 0.1), option(9, 3, 0.2), option(8, 3, 0.3), option(7, 5, 0.4)]
    assert choose(options) == option(8, 3, 0.3)


def test_where_every_threshold_refuses_too_much_none_is_chosen():
    with pytest.raises(ValueError, match="answers enough"):
        choose([option(5, 5)])
