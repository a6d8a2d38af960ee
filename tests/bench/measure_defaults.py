"""Which defaults serve every corpus: the grid over splitter, fusion, weights and sentences.

A choice is the best mean, over suites, of the share of the suite's best score. Leaving each suite
out of the choice says how well a choice made without it would have served it.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
from django.core.management import call_command

from documents.conf import organisation_zone
from evaluation.cases import load_suite
from evaluation.types import Case
from retrieval.conf import FusionChoice, RetrievalConfig
from retrieval.protocols import Embedder
from tests.bench import corpora, product, suites
from tests.bench.recording import DATA_DIR, print_table
from tests.bench.suites import Searcher

SPLITTERS: Sequence[Mapping[str, int]] = (
    {"max_tokens": 250, "overlap_tokens": 40},
    {"max_tokens": 250, "overlap_tokens": 0},
    {"max_tokens": 150, "overlap_tokens": 25},
)
FUSIONS: Sequence[FusionChoice] = ("shares", "scores", "ranks")
DENSE_SHARES = (0.4, 0.46, 0.6, 0.8)
SENTENCE_WEIGHTS = (0.0, 0.3)
RERANKED = 50
CMRC_STEP = 4
MOST_CHARS = 11_000
SUITES = ("site_policy", "span_eval", "cranfield", "cmrc_trial")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One point of the grid."""

    max_tokens: int
    overlap_tokens: int
    fusion: FusionChoice
    dense_share: float
    sentence_weight: float

    def applied_to(self, config: RetrievalConfig) -> RetrievalConfig:
        """Return the configuration with this choice's knobs, but for the splitter's."""
        return replace(
            config,
            fusion=self.fusion,
            lexical_weight=1 - self.dense_share,
            dense_weight=self.dense_share,
            sentence_weight=self.sentence_weight,
            rerank_size=RERANKED if self.sentence_weight else 0,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """What a choice scores on each suite, 0 to 1, and figures shown beside them."""

    site_policy: float
    span_eval: float
    cranfield: float
    cmrc_trial: float
    policy_5: float
    policy_10: float
    policy_chars: float
    span_iou: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """The questions of all suites."""

    policies: Sequence[Case]
    spans: Sequence[corpora.SpanQuestion]
    cranfield: Sequence[corpora.JudgedQuestion]
    cmrc: Sequence[corpora.JudgedQuestion]


def measure() -> dict[str, object]:
    """Measure every point of the grid and choose."""
    embedder = product.remembering_embedder()
    path = DATA_DIR / "site-policy" / "questions-dev.jsonl"
    questions = Questions(
        policies=load_suite(path, zone=organisation_zone()),
        spans=corpora.span_questions(),
        cranfield=corpora.cranfield_questions(),
        cmrc=corpora.cmrc_questions(part="trial")[::CMRC_STEP],
    )
    grid: dict[Choice, Scores] = {}
    for splitter in SPLITTERS:
        call_command("flush", interactive=False, verbosity=0)
        with product.product_settings(**splitter) as config:
            product.import_policies()
            product.import_corpora(["span-eval", "cranfield", "cmrc-trial"])
            for choice in _choices(splitter):
                grid[choice] = score(choice, questions, embedder=embedder, config=config)
                sys.stderr.write(f"{choice}: {grid[choice]}\n")
    _print_grid(grid)
    chosen = choose(grid, SUITES)
    left_out = {suite: choose(grid, [s for s in SUITES if s != suite]) for suite in SUITES}
    _print_left_out(grid, left_out, chosen)
    return {
        "chosen": asdict(chosen),
        "left_out": {suite: asdict(choice) for suite, choice in left_out.items()},
        "grid": [{**asdict(choice), **asdict(scores)} for choice, scores in grid.items()],
    }


def score(
    choice: Choice, questions: Questions, *, embedder: Embedder, config: RetrievalConfig
) -> Scores:
    """Measure one choice on all suites."""
    searcher = Searcher(embedder=embedder, config=choice.applied_to(config))
    policies = suites.policy_figures(searcher, questions.policies)
    spans = suites.span_figures(searcher, questions.spans, "span-eval")
    return Scores(
        site_policy=(policies.support_5 + policies.support_10) / 2,
        span_eval=spans.recall,
        cranfield=suites.ndcg_at_ten(searcher, questions.cranfield, "cranfield"),
        cmrc_trial=suites.shares_within(searcher, questions.cmrc, "cmrc-trial")[5],
        policy_5=policies.support_5,
        policy_10=policies.support_10,
        policy_chars=policies.chars_in_10,
        span_iou=spans.iou,
    )


def choose(grid: Mapping[Choice, Scores], names: Sequence[str]) -> Choice:
    """Return the choice with the best mean share of each named suite's best score."""
    short = {c: s for c, s in grid.items() if s.policy_chars <= MOST_CHARS}
    best = {name: max(getattr(scores, name) for scores in short.values()) for name in names}
    return max(
        short,
        key=lambda choice: float(
            np.mean([getattr(short[choice], name) / best[name] for name in names])
        ),
    )


def _choices(splitter: Mapping[str, int]) -> list[Choice]:
    return [
        Choice(**splitter, fusion=fusion, dense_share=share, sentence_weight=sentence)
        for fusion, share, sentence in itertools.product(FUSIONS, DENSE_SHARES, SENTENCE_WEIGHTS)
    ]


def _print_grid(grid: Mapping[Choice, Scores]) -> None:
    print_table(
        "the grid",
        ["tokens", "overlap", "fusion", "dense", "sentence", *Scores.__dataclass_fields__],
        [[*asdict(choice).values(), *asdict(scores).values()] for choice, scores in grid.items()],
    )


def _print_left_out(
    grid: Mapping[Choice, Scores], left_out: Mapping[str, Choice], chosen: Choice
) -> None:
    rows = [
        [
            suite,
            getattr(grid[choice], suite),
            getattr(grid[chosen], suite),
            max(getattr(scores, suite) for scores in grid.values()),
            *asdict(choice).values(),
        ]
        for suite, choice in left_out.items()
    ]
    rows.append(["chosen with all", None, None, None, *asdict(chosen).values()])
    print_table(
        "each suite left out of the choice",
        ["suite", "left out", "chosen", "best", *Choice.__dataclass_fields__],
        rows,
    )
