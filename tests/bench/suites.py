"""How good a ranking is on each of the four corpora, as one number a suite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation import metrics
from evaluation.types import Case, FileSpan
from retrieval.conf import RetrievalConfig
from retrieval.errors import NothingToSearchFor
from retrieval.protocols import Embedder
from retrieval.results import RankedPassage
from retrieval.types import SearchMode
from tests.bench.corpora import JudgedQuestion, SpanQuestion
from tests.bench.product import NOW, scope_of, search

MANY = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Searcher:
    """The product's search with one configuration and mode."""

    embedder: Embedder
    config: RetrievalConfig
    mode: SearchMode = SearchMode.HYBRID

    def documents(self, question: JudgedQuestion, group: str) -> list[str]:
        """Return the slugs of the documents found, best first."""
        passages = self.passages(question.text, group, limit=MANY)
        return metrics.first_distinct([item.document_slug for item in passages], MANY)

    def passages(self, text: str, group: str, *, limit: int) -> Sequence[RankedPassage]:
        """Return the passages found; a question without any word finds none."""
        try:
            return search(
                text,
                scope_of(group),
                embedder=self.embedder,
                config=self.config,
                mode=self.mode,
                limit=limit,
            )
        except NothingToSearchFor:
            return ()


def ndcg_at_ten(searcher: Searcher, questions: Sequence[JudgedQuestion], group: str) -> float:
    """Return the mean nDCG@10 over the questions with anything relevant."""
    return _value(
        metrics.macro(
            metrics.ndcg(
                dict.fromkeys(question.relevant, 1.0), searcher.documents(question, group), k=10
            )
            for question in questions
        )
    )


def shares_within(
    searcher: Searcher, questions: Sequence[JudgedQuestion], group: str
) -> dict[int, float]:
    """Return the share of the questions whose document is first, in five, in ten."""
    found = [(question.relevant, searcher.documents(question, group)) for question in questions]
    return {
        k: _value(metrics.macro(metrics.any_hit(gold, ranked, k=k) for gold, ranked in found))
        for k in (1, 5, 10)
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanFigures:
    """Means over questions of the five best passages; the lengths are of all five together."""

    recall: float
    precision: float
    iou: float
    chars: float


def span_figures(searcher: Searcher, questions: Sequence[SpanQuestion], group: str) -> SpanFigures:
    """Measure spans as the published table does, over the five best passages."""
    found = [
        (question.gold, spans_of(searcher.passages(question.text, group, limit=5)))
        for question in questions
    ]
    return SpanFigures(
        recall=_value(metrics.macro(metrics.span_coverage(*pair) for pair in found)),
        precision=_value(metrics.macro(metrics.passage_precision(*pair) or 0.0 for pair in found)),
        iou=_value(metrics.macro(metrics.passage_iou(*pair) for pair in found)),
        chars=_value(metrics.macro(float(sum(s.chars for s in spans)) for _, spans in found)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyFigures:
    """Means over the answerable policy questions."""

    support_5: float
    support_10: float
    chars_in_10: float


def policy_figures(searcher: Searcher, cases: Sequence[Case]) -> PolicyFigures:
    """Measure support as `evaluate` does, on the search alone."""
    found = []
    for case in cases:
        if not case.gold_spans:
            continue
        scope = scope_of(*case.asker_groups, at=case.as_of or NOW)
        passages = search(
            case.question,
            scope,
            embedder=searcher.embedder,
            config=searcher.config,
            mode=searcher.mode,
        )
        found.append((case.gold_spans, spans_of(passages)))
    return PolicyFigures(
        support_5=_value(metrics.macro(metrics.span_coverage(g, s[:5]) for g, s in found)),
        support_10=_value(metrics.macro(metrics.span_coverage(g, s) for g, s in found)),
        chars_in_10=_value(metrics.macro(float(sum(i.chars for i in s)) for _, s in found)),
    )


def spans_of(passages: Sequence[RankedPassage]) -> list[FileSpan]:
    return [FileSpan(item.original_name, item.start, item.end) for item in passages]


def _value(mean: metrics.Mean) -> float:
    if mean.value is None:
        raise ValueError("There was nothing to measure.")
    return mean.value
