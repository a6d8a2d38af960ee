"""Gate files: bounds that a suite's report must keep, and the questions that break them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from evaluation.errors import SuiteInvalid, UnknownName
from evaluation.reports import MEASURES, build_report, by_family, flatten
from evaluation.types import CaseOutcome

SECTIONS = frozenset({"thresholds", "at_most", "families"})
# Which questions to name where a bound on a total or a percentile breaks.
MEASURE_OF = {
    "answer_chars.p50": "answer_chars",
    "answer_chars.max": "answer_chars",
    "latency_ms.p50": "latency_ms",
    "latency_ms.p95": "latency_ms",
    "latency_ms.embed_p50": "latency_ms.embed",
    "latency_ms.p95_over_embed_p50": "latency_ms",
}
# Totals over questions: every question that brings the total down, or up, is named.
TOTALS = frozenset(
    {
        "abstention.answered_answerable",
        "abstention.refused_unanswerable",
        "citations.invalid",
        "leaks",
        "wrong_revision",
    }
)

Bounds = Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """Least and greatest values by metric, and least values by family and metric."""

    thresholds: Bounds = field(default_factory=dict)
    at_most: Bounds = field(default_factory=dict)
    families: Mapping[str, Bounds] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenBound:
    """A bound that the report does not keep; `questions` are the ids that break it."""

    metric: str
    family: str | None
    value: float | None
    bound: float
    questions: tuple[str, ...]

    def __str__(self) -> str:
        """Name the metric, its value, the bound and the questions."""
        place = f"{self.family}: " if self.family else ""
        shown = "undefined" if self.value is None else f"{self.value:.4g}"
        return (
            f"{place}{self.metric} is {shown}, the gate asks for {self.bound:g}: "
            f"{', '.join(self.questions) or 'no single question'}"
        )


def load_gate(path: Path) -> Gate:
    """Return the bounds of a gate file.

    Raises: SuiteInvalid where the file is no such YAML.
    """
    try:
        value = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise SuiteInvalid(f"{path.name} cannot be read: {error}.") from error
    if not isinstance(value, dict) or not set(value) <= SECTIONS:
        raise SuiteInvalid(f"{path.name} may hold {sorted(SECTIONS)} and nothing else.")
    families = value.get("families") or {}
    if not isinstance(families, dict):
        raise SuiteInvalid(f"{path.name}: families must name bounds.")
    return Gate(
        thresholds=_bounds(value.get("thresholds") or {}, path),
        at_most=_bounds(value.get("at_most") or {}, path),
        families={str(name): _bounds(bounds, path) for name, bounds in families.items()},
    )


def find_broken(gate: Gate, outcomes: Sequence[CaseOutcome]) -> list[BrokenBound]:
    """Return every bound that the outcomes do not keep; what is undefined keeps none.

    Raises: UnknownName for a metric or a family that does not exist.
    """
    broken = [*_below(gate.thresholds, outcomes), *_above(gate.at_most, outcomes)]
    members = by_family(outcomes)
    for family, bounds in gate.families.items():
        if family not in members:
            raise UnknownName(f"The suite has no family {family!r}.")
        broken += _below(bounds, members[family], family=family)
    return broken


def _below(
    bounds: Bounds, outcomes: Sequence[CaseOutcome], *, family: str | None = None
) -> list[BrokenBound]:
    flat = flatten(build_report(outcomes))
    broken = []
    for given, minimum in bounds.items():
        metric = _full_name(given, flat)
        value = flat[metric]
        if value is None or value < minimum:
            least = 1.0 if metric in TOTALS else minimum
            guilty = _ids(metric, outcomes, least=least)
            broken.append(
                BrokenBound(
                    metric=metric, family=family, value=value, bound=minimum, questions=guilty
                )
            )
    return broken


def _above(bounds: Bounds, outcomes: Sequence[CaseOutcome]) -> list[BrokenBound]:
    flat = flatten(build_report(outcomes))
    broken = []
    for given, maximum in bounds.items():
        metric = _full_name(given, flat)
        value = flat[metric]
        if value is None or value > maximum:
            greatest = 0.0 if metric in TOTALS else maximum
            guilty = _ids(metric, outcomes, greatest=greatest)
            broken.append(
                BrokenBound(
                    metric=metric, family=None, value=value, bound=maximum, questions=guilty
                )
            )
    return broken


def _ids(
    metric: str,
    outcomes: Sequence[CaseOutcome],
    *,
    least: float = float("-inf"),
    greatest: float = float("inf"),
) -> tuple[str, ...]:
    measure = MEASURES.get(MEASURE_OF.get(metric, metric))
    if measure is None:
        return ()
    values = [(outcome.case.id, measure.value(outcome)) for outcome in measure.over(outcomes)]
    return tuple(
        case_id for case_id, value in values if value is not None and not least <= value <= greatest
    )


def _full_name(given: str, flat: Mapping[str, float | None]) -> str:
    """Return the dotted name of a metric that may be given by its last part.

    Raises: UnknownName where there is none, or several.
    """
    if given in flat:
        return given
    matching = [
        name
        for name in flat
        if name.rpartition(".")[2] == given and not name.startswith("families.")
    ]
    if len(matching) != 1:
        raise UnknownName(f"There is no one metric {given!r}; there are {', '.join(flat)}.")
    return matching[0]


def _bounds(value: object, path: Path) -> Bounds:
    if not isinstance(value, dict):
        raise SuiteInvalid(f"{path.name}: bounds must be numbers by metric.")
    for name, bound in value.items():
        if isinstance(bound, bool) or not isinstance(bound, int | float):
            raise SuiteInvalid(f"{path.name}: the bound of {name!r} is no number.")
    return {str(name): float(bound) for name, bound in value.items()}
