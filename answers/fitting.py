"""Fits the curve of confidence to labelled questions and chooses its threshold. Pure arithmetic.

Few features and strong regularisation: a few dozen questions must carry over to those not seen.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from answers.confidence import FEATURES, Calibration, Signals, estimate, stretched_signs

Matrix = NDArray[np.float64]

RIDGE = 5.0
MOST_STEPS = 100
CLOSE_ENOUGH = 1e-9
LEAST_ANSWERED_SHARE = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledSignals:
    """The signs of one asked question and whether its answer held what was asked for.

    Shapes: questions that share a `subject` are left out together; `weight` says how much the
    question counts in fitting; one that does not count in the trade-off only helps to fit.
    """

    subject: str
    signals: Signals
    supported: bool
    answerable: bool
    weight: float = 1.0
    counts: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class TradeOff:
    """What one threshold would do to questions that the curve was not fitted to."""

    threshold: float
    answered_answerable: int
    answerable: int
    refused_unanswerable: int
    unanswerable: int


def fit(cases: Sequence[LabelledSignals], *, threshold: float = 0.0) -> Calibration:
    """Fit a ridge logistic regression of `supported` on the signs, by Newton's method.

    Raises: ValueError for no cases.
    """
    if not cases:
        raise ValueError("there is nothing to fit to")
    means, spreads = _means_and_spreads(cases)
    rows = [stretched_signs(case.signals, means, spreads) for case in cases]
    signs: Matrix = np.array([[*row, 1.0] for row in rows], dtype=np.float64)
    labels: Matrix = np.array([case.supported for case in cases], dtype=np.float64)
    counts: Matrix = np.array([case.weight for case in cases], dtype=np.float64)
    # The bias is left almost free; it only keeps the equations solvable.
    ridge = np.diag([*([RIDGE] * len(FEATURES)), 1e-6])
    weights: Matrix = np.zeros(len(FEATURES) + 1)
    for _ in range(MOST_STEPS):
        likely = 1 / (1 + np.exp(-signs @ weights))
        slope = signs.T @ (counts * (likely - labels)) + ridge @ weights
        curvature = (signs.T * (counts * likely * (1 - likely))) @ signs + ridge
        step = np.linalg.solve(curvature, slope)
        weights = weights - step
        if float(np.abs(step).max()) < CLOSE_ENOUGH:
            break
    return Calibration(
        means=means,
        spreads=spreads,
        weights={name: round(float(weights[i]), 6) for i, name in enumerate(FEATURES)},
        bias=round(float(weights[-1]), 6),
        threshold=threshold,
    )


def leave_one_out(cases: Sequence[LabelledSignals]) -> list[float]:
    """Give each case the confidence of a curve fitted without its subject."""
    subjects = list(dict.fromkeys(case.subject for case in cases))
    curves = {
        subject: fit([case for case in cases if case.subject != subject]) for subject in subjects
    }
    return [estimate(case.signals, curves[case.subject]) for case in cases]


def trade_offs(cases: Sequence[LabelledSignals], confidences: Sequence[float]) -> list[TradeOff]:
    """Give what every threshold worth telling apart would do, lowest first."""
    counted = [(case, value) for case, value in zip(cases, confidences, strict=True) if case.counts]
    values = sorted({value for _, value in counted})
    # Between two neighbouring confidences every threshold does the same: take the middle.
    middles = [(low + high) / 2 for low, high in itertools.pairwise(values)]
    answerable = [value for case, value in counted if case.answerable]
    unanswerable = [value for case, value in counted if not case.answerable]
    return [
        TradeOff(
            threshold=round(threshold, 6),
            answered_answerable=sum(value >= threshold for value in answerable),
            answerable=len(answerable),
            refused_unanswerable=sum(value < threshold for value in unanswerable),
            unanswerable=len(unanswerable),
        )
        for threshold in [0.0, *middles]
    ]


def choose(options: Sequence[TradeOff]) -> TradeOff:
    """Choose the highest threshold that answers at least LEAST_ANSWERED_SHARE of the answerable.

    A higher one never refuses less of what cannot be answered, of what was measured or was not.
    Raises: ValueError where none does.
    """
    allowed = [
        option
        for option in options
        if option.answered_answerable >= LEAST_ANSWERED_SHARE * option.answerable
    ]
    if not allowed:
        raise ValueError("no threshold answers enough")
    return max(allowed, key=lambda option: option.threshold)


def _means_and_spreads(
    cases: Sequence[LabelledSignals],
) -> tuple[dict[str, float], dict[str, float]]:
    means: dict[str, float] = {}
    spreads: dict[str, float] = {}
    for name in FEATURES:
        known = [value for case in cases if (value := _value(case.signals, name)) is not None]
        mean = sum(known) / len(known) if known else 0.0
        variance = sum((value - mean) ** 2 for value in known) / len(known) if known else 0.0
        means[name] = round(mean, 6)
        spreads[name] = round(math.sqrt(variance), 6) or 1.0
    return means, spreads


def _value(signals: Signals, name: str) -> float | None:
    return {
        "similarity": signals.similarity,
        "coverage": signals.coverage,
        "agreement": signals.agreement,
        "amount": signals.amount,
    }[name]
