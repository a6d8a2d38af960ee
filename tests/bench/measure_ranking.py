"""Ranking quality on four corpora, through the product's own import, index and search."""

from __future__ import annotations

from dataclasses import asdict

from documents.conf import organisation_zone
from evaluation.cases import load_suite
from retrieval.conf import retrieval_config
from retrieval.types import SearchMode
from tests.bench import corpora, product, suites
from tests.bench.recording import DATA_DIR, print_table

MODES = (SearchMode.LEXICAL, SearchMode.DENSE, SearchMode.HYBRID)


def measure() -> dict[str, object]:
    """Import the corpora and measure each in every mode."""
    embedder = product.remembering_embedder()
    product.import_corpora(["cranfield", "cmrc-trial", "span-eval"])
    product.import_policies()
    searchers = {
        mode.value: suites.Searcher(embedder=embedder, config=retrieval_config(), mode=mode)
        for mode in MODES
    }
    results: dict[str, object] = {
        "cranfield": _cranfield(searchers),
        "cmrc_trial": _cmrc(searchers),
        "span_eval": _span_eval(searchers),
        "site_policy_dev": _policies(searchers),
    }
    return results


def _cranfield(searchers: dict[str, suites.Searcher]) -> dict[str, float]:
    questions = corpora.cranfield_questions()
    figures = {
        mode: suites.ndcg_at_ten(searcher, questions, "cranfield")
        for mode, searcher in searchers.items()
    }
    judged = sum(bool(question.relevant) for question in questions)
    print_table(
        f"cranfield, nDCG@10 over {judged} questions (asked for: lexical 0.37, hybrid 0.42)",
        ["mode", "nDCG@10"],
        list(figures.items()),
    )
    return figures


def _cmrc(searchers: dict[str, suites.Searcher]) -> dict[str, dict[int, float]]:
    questions = corpora.cmrc_questions(part="trial")
    figures = {
        mode: suites.shares_within(searcher, questions, "cmrc-trial")
        for mode, searcher in searchers.items()
    }
    print_table(
        f"cmrc2018 trial, share of {len(questions)} questions "
        "(asked for: lexical first 0.95, hybrid within five 0.97)",
        ["mode", "first", "in 5", "in 10"],
        [[mode, *shares.values()] for mode, shares in figures.items()],
    )
    return figures


def _span_eval(searchers: dict[str, suites.Searcher]) -> dict[str, dict[str, float]]:
    questions = corpora.span_questions()
    figures = {
        mode: asdict(suites.span_figures(searcher, questions, "span-eval"))
        for mode, searcher in searchers.items()
    }
    print_table(
        f"span-eval, five best passages, mean over {len(questions)} questions "
        "(published with this model: best recall 0.824, best IoU 0.072)",
        ["mode", "recall", "precision", "IoU", "characters"],
        [[mode, *values.values()] for mode, values in figures.items()],
    )
    return figures


def _policies(searchers: dict[str, suites.Searcher]) -> dict[str, dict[str, float]]:
    path = DATA_DIR / "site-policy" / "questions-dev.jsonl"
    cases = load_suite(path, zone=organisation_zone())
    figures = {
        mode: asdict(suites.policy_figures(searcher, cases)) for mode, searcher in searchers.items()
    }
    answerable = sum(bool(case.gold_spans) for case in cases)
    print_table(
        f"site-policy dev, mean over {answerable} answerable questions "
        "(asked for: hybrid 0.88 in 5, 0.93 in 10, at most 11,000 characters)",
        ["mode", "support 5", "support 10", "characters"],
        [[mode, *values.values()] for mode, values in figures.items()],
    )
    return figures
