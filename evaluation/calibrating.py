"""Fits the confidence of answers to labelled questions and writes the one file that holds it.

Each answerable question is asked twice: as it stands, and with the documents that hold its answer
out of sight. The second is what asking without the right to read them is like, and gives as many
examples of questions that cannot be answered as there are of those that can.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from answers.confidence import FEATURES, Calibration, Signals
from answers.errors import CalibrationFailed
from answers.fitting import LabelledSignals, TradeOff, choose, fit, leave_one_out, trade_offs
from answers.observing import Observation, observe
from answers.setup import AnswerSetup
from documents.visibility import ReadScope, readable_revisions, scope_for_groups
from evaluation.cases import load_suite
from evaluation.metrics import span_coverage
from evaluation.types import Case, FileSpan
from retrieval.types import SearchFilters

# An answer is what was asked for where it holds at least this share of the gold characters.
SUPPORTED_SHARE = 0.3
# Questions made by hiding documents are many and alike: together they weigh half.
HIDDEN_WEIGHT = 0.5

Show = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A labelled suite and what identifies it."""

    name: str
    sha256: str
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """The fitted curve, the choice of its threshold, and everything that was chosen from."""

    calibration: Calibration
    chosen: TradeOff
    options: tuple[TradeOff, ...]
    suites: tuple[Suite, ...]
    embedder: str


def read_suites(paths: Sequence[Path], *, zone: ZoneInfo) -> list[Suite]:
    """Return the suites of these files.

    Raises: SuiteInvalid.
    """
    return [
        Suite(
            name=path.name,
            cases=tuple(load_suite(path, zone=zone)),
            sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        )
        for path in paths
    ]


def calibrate(
    suites: Sequence[Suite], *, setup: AnswerSetup, now: datetime, show: Show
) -> Calibrated:
    """Ask every question, fit the curve, and choose its threshold by leaving one out at a time.

    Raises: CalibrationFailed where the questions are of one kind only, or no threshold answers
    enough.
    """
    labelled: list[LabelledSignals] = []
    for suite in suites:
        for case in suite.cases:
            scope = scope_for_groups(case.asker_groups, at=case.as_of or now)
            labelled += label_case(case, scope, subject=f"{suite.name}/{case.id}", setup=setup)
            show(len(labelled))
    counted = [item.answerable for item in labelled if item.counts]
    if not (any(counted) and not all(counted)):
        raise CalibrationFailed("Both answerable and unanswerable questions are needed.")
    options = trade_offs(labelled, leave_one_out(labelled))
    try:
        chosen = choose(options)
    except ValueError as error:
        raise CalibrationFailed(f"The threshold cannot be chosen: {error}.") from error
    return Calibrated(
        calibration=fit(labelled, threshold=chosen.threshold),
        chosen=chosen,
        options=tuple(options),
        suites=tuple(suites),
        embedder=setup.embedder.fingerprint,
    )


def label_case(
    case: Case, scope: ReadScope, *, subject: str, setup: AnswerSetup
) -> list[LabelledSignals]:
    """Return the signs of a question with its label, and those of it without its documents."""
    seen = observe(case.question, scope=scope, setup=setup)
    as_asked = LabelledSignals(
        subject=subject,
        signals=seen.signals,
        supported=case.answerable and _covers(seen, case),
        answerable=case.answerable,
    )
    if not case.answerable:
        return [as_asked]
    return [
        as_asked,
        LabelledSignals(
            subject=subject,
            signals=_signals_without(case, scope, setup),
            supported=False,
            answerable=False,
            weight=HIDDEN_WEIGHT,
            counts=False,
        ),
    ]


def _covers(seen: Observation, case: Case) -> bool:
    cited = [FileSpan(place.original_name, place.start, place.end) for place in seen.cited]
    return (span_coverage(case.gold_spans, cited) or 0.0) >= SUPPORTED_SHARE


def _signals_without(case: Case, scope: ReadScope, setup: AnswerSetup) -> Signals:
    files = {span.file for span in case.gold_spans}
    others = readable_revisions(scope).exclude(document__revisions__original_name__in=files)
    names = others.values_list("document__public_id", flat=True)
    filters = SearchFilters(documents=tuple(sorted(str(name) for name in names)))
    return observe(case.question, scope=scope, setup=setup, filters=filters).signals


def as_file(calibrated: Calibrated) -> str:
    """Return the content of the committed file."""
    curve = calibrated.calibration
    value = {
        "version": 1,
        "features": {
            name: {
                "mean": curve.means[name],
                "spread": curve.spreads[name],
                "weight": curve.weights[name],
            }
            for name in FEATURES
        },
        "bias": curve.bias,
        "threshold": curve.threshold,
        "embedder": calibrated.embedder,
        "suites": [
            {"name": suite.name, "sha256": suite.sha256, "questions": len(suite.cases)}
            for suite in calibrated.suites
        ],
        "chosen": asdict(calibrated.chosen),
        "trade_off": [asdict(option) for option in calibrated.options],
    }
    return json.dumps(value, indent=2) + "\n"
