"""Turns outcomes into one report: every measure beside what it was taken over. Ids and numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypedDict

from evaluation import metrics
from evaluation.types import CaseOutcome, answerable_only

SHORT, LONG = 5, 10

CaseValue = Callable[[CaseOutcome], float | None]


class RetrievalReport(TypedDict):
    """Measures of the passages as the search returns them, over answerable questions."""

    support_recall_5: float | None
    support_recall_10: float | None
    full_support_10: float | None
    mrr: float | None
    denominator: int
    interval_10: tuple[float, float] | None
    chars_in_10: float | None


class Report(TypedDict):
    """The stable JSON document of `evaluate`; undefined measures are null."""

    questions: int
    retrieval: RetrievalReport
    packed_support: float | None
    answer_support: float | None
    answer_precision: float | None
    answer_chars: dict[str, float | None]
    citations: dict[str, int]
    abstention: dict[str, int]
    leaks: int
    wrong_revision: int
    latency_ms: dict[str, float | None]
    families: dict[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """How one question counts in a measure; None where the measure is undefined for it.

    `over` keeps the questions that the measure is taken over.
    """

    value: CaseValue
    over: Callable[[Sequence[CaseOutcome]], Sequence[CaseOutcome]] = answerable_only

    def values(self, outcomes: Sequence[CaseOutcome]) -> list[float]:
        """Return the values of the questions for which it is defined."""
        return [
            value
            for value in (self.value(outcome) for outcome in self.over(outcomes))
            if value is not None
        ]


def support_recall(outcome: CaseOutcome, *, k: int) -> float | None:
    """Return the share of gold characters in the first k passages, as the search returned them."""
    return metrics.span_coverage(outcome.case.gold_spans, outcome.passages[:k])


def full_support(outcome: CaseOutcome) -> float | None:
    """Return 1 where the first ten passages hold every gold character, else 0."""
    coverage = support_recall(outcome, k=LONG)
    return None if coverage is None else float(coverage >= 1)


def reciprocal_rank(outcome: CaseOutcome) -> float | None:
    """Return 1 / rank of the first passage with a gold character, 0 where there is none."""
    if not outcome.case.gold_spans:
        return None
    rank = metrics.first_touching(outcome.case.gold_spans, outcome.passages)
    return 1 / rank if rank else 0.0


def answer_support(outcome: CaseOutcome) -> float | None:
    """Return the share of gold characters that the answer cites; 0 when refused."""
    return metrics.span_coverage(outcome.case.gold_spans, outcome.cited)


def answer_precision(outcome: CaseOutcome) -> float | None:
    """Return gold characters over cited characters; undefined when nothing is cited."""
    return metrics.span_precision(outcome.case.gold_spans, outcome.cited)


def chars_in_ten(outcome: CaseOutcome) -> float:
    """Return the characters of the first ten passages, repeats included."""
    return float(sum(passage.chars for passage in outcome.passages[:LONG]))


def _all(outcomes: Sequence[CaseOutcome]) -> Sequence[CaseOutcome]:
    return outcomes


def _unanswerable(outcomes: Sequence[CaseOutcome]) -> Sequence[CaseOutcome]:
    return [outcome for outcome in outcomes if not outcome.case.answerable]


MEASURES: Mapping[str, Measure] = {
    "retrieval.support_recall_5": Measure(value=lambda o: support_recall(o, k=SHORT)),
    "retrieval.support_recall_10": Measure(value=lambda o: support_recall(o, k=LONG)),
    "retrieval.full_support_10": Measure(value=full_support),
    "retrieval.mrr": Measure(value=reciprocal_rank),
    "retrieval.chars_in_10": Measure(value=chars_in_ten),
    "packed_support": Measure(value=lambda o: metrics.span_coverage(o.case.gold_spans, o.packed)),
    "answer_support": Measure(value=answer_support),
    "answer_precision": Measure(value=answer_precision),
    "answer_chars": Measure(value=lambda o: None if o.refused else float(o.answer_chars)),
    "abstention.answered_answerable": Measure(value=lambda o: float(not o.refused)),
    "abstention.refused_unanswerable": Measure(
        value=lambda o: float(o.refused), over=_unanswerable
    ),
    "citations.valid": Measure(value=lambda o: float(o.safety.citations_valid), over=_all),
    "citations.total": Measure(value=lambda o: float(o.safety.citations_total), over=_all),
    "citations.invalid": Measure(
        value=lambda o: float(o.safety.citations_total - o.safety.citations_valid), over=_all
    ),
    "leaks": Measure(value=lambda o: float(o.safety.leaks), over=_all),
    "wrong_revision": Measure(value=lambda o: float(o.safety.wrong_revision), over=_all),
    "latency_ms": Measure(value=lambda o: o.total_ms, over=_all),
    "latency_ms.embed": Measure(value=lambda o: o.embed_ms, over=_all),
}


def build_report(outcomes: Sequence[CaseOutcome]) -> Report:
    """Return the report of all outcomes."""
    answerable = answerable_only(outcomes)
    recall_values = MEASURES["retrieval.support_recall_10"].values(outcomes)
    lengths = MEASURES["answer_chars"].values(outcomes)
    return {
        "questions": len(outcomes),
        "retrieval": {
            "support_recall_5": _mean("retrieval.support_recall_5", outcomes),
            "support_recall_10": _mean("retrieval.support_recall_10", outcomes),
            "full_support_10": _mean("retrieval.full_support_10", outcomes),
            "mrr": _mean("retrieval.mrr", outcomes),
            "denominator": len(answerable),
            "interval_10": metrics.bootstrap_interval(recall_values),
            "chars_in_10": _mean("retrieval.chars_in_10", outcomes),
        },
        "packed_support": _mean("packed_support", outcomes),
        "answer_support": _mean("answer_support", outcomes),
        "answer_precision": _mean("answer_precision", outcomes),
        "answer_chars": {"p50": metrics.percentile(lengths, 0.5), "max": _highest(lengths)},
        "citations": {
            "valid": _total("citations.valid", outcomes),
            "total": _total("citations.total", outcomes),
        },
        "abstention": {
            "answered_answerable": _total("abstention.answered_answerable", outcomes),
            "answerable": len(answerable),
            "refused_unanswerable": _total("abstention.refused_unanswerable", outcomes),
            "unanswerable": len(outcomes) - len(answerable),
        },
        "leaks": _total("leaks", outcomes),
        "wrong_revision": _total("wrong_revision", outcomes),
        "latency_ms": _latency(outcomes),
        "families": {
            family: _mean("retrieval.support_recall_10", members)
            for family, members in by_family(answerable).items()
        },
    }


def by_family(outcomes: Sequence[CaseOutcome]) -> dict[str, list[CaseOutcome]]:
    """Return the outcomes by the family of their question, families in order."""
    ordered = sorted(outcomes, key=lambda outcome: outcome.case.family)
    return {
        family: list(members)
        for family, members in groupby(ordered, key=lambda outcome: outcome.case.family)
    }


def flatten(report: Report) -> dict[str, float | None]:
    """Return the report's numbers by dotted name, with two that gates need besides."""
    flat: dict[str, float | None] = {}
    for name, value in report.items():
        if isinstance(value, Mapping):
            for key, part in value.items():
                if part is None or isinstance(part, int | float):
                    flat[f"{name}.{key}"] = part
        elif value is None or isinstance(value, int | float):
            flat[name] = value
    flat["citations.invalid"] = (flat["citations.total"] or 0) - (flat["citations.valid"] or 0)
    whole, embedding = flat["latency_ms.p95"], flat["latency_ms.embed_p50"]
    flat["latency_ms.p95_over_embed_p50"] = whole / embedding if whole and embedding else None
    return flat


def render_table(report: Report) -> str:
    """Return the report as lines of name, value and what it was taken over."""
    flat = flatten(report)
    abstention = report["abstention"]
    over = {
        "answer_precision": f"{abstention['answered_answerable']} answered, answerable",
        "answer_chars.p50": f"{abstention['answered_answerable']} answered, answerable",
        "answer_chars.max": f"{abstention['answered_answerable']} answered, answerable",
        "citations.valid": f"{flat['citations.total']:.0f} citations",
        "abstention.answered_answerable": f"{abstention['answerable']} answerable",
        "abstention.refused_unanswerable": f"{abstention['unanswerable']} unanswerable",
    }
    everything = {"leaks", "wrong_revision", "questions"}
    lines = []
    for name, value in flat.items():
        if name.startswith("latency_ms") or name in everything:
            denominator = f"{report['questions']} questions"
        else:
            denominator = over.get(name, f"{abstention['answerable']} answerable")
        shown = "undefined" if value is None else f"{value:.3f}".rstrip("0").rstrip(".")
        lines.append(f"{name:<38} {shown:>10}  over {denominator}")
    interval = report["retrieval"]["interval_10"]
    if interval is not None:
        lines.append(f"support_recall_10, 95 % interval: {interval[0]:.3f} to {interval[1]:.3f}")
    return "\n".join(lines)


def _latency(outcomes: Sequence[CaseOutcome]) -> dict[str, float | None]:
    total = MEASURES["latency_ms"].values(outcomes)
    embedding = MEASURES["latency_ms.embed"].values(outcomes)
    return {
        "p50": metrics.percentile(total, 0.5),
        "p95": metrics.percentile(total, 0.95),
        "embed_p50": metrics.percentile(embedding, 0.5),
    }


def _mean(name: str, outcomes: Sequence[CaseOutcome]) -> float | None:
    return metrics.macro(MEASURES[name].values(outcomes)).value


def _total(name: str, outcomes: Sequence[CaseOutcome]) -> int:
    return round(sum(MEASURES[name].values(outcomes)))


def _highest(values: Sequence[float]) -> int | None:
    return int(max(values)) if values else None
