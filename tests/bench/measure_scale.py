"""Recall and latency on 200,000 passages, by the share of them that a reader may read.

The truth is computed from the same half-precision vectors; passages as near as the last right one
are right as well. Beside it stands the graph asked first and filtered afterwards.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from django.db import connection, transaction

from evaluation import metrics
from retrieval.conf import RetrievalConfig, retrieval_config
from retrieval.graph import build_graph
from retrieval.models import SearchIndex
from retrieval.pipeline import retrieve_evidence
from retrieval.protocols import Embedder
from retrieval.types import Question, SearchMode
from tests.bench import corpora, product
from tests.bench.recording import print_table
from tests.bench.synthetic import SEED, SHARES, Scaled, scale_up

QUESTIONS = 100
TIE = 1e-6
FILTERED_AFTERWARDS = """
WITH nearest AS MATERIALIZED (
    SELECT id, revision_id,
           embedding::halfvec({width}) <=> %(vector)s::halfvec({width}) AS distance
    FROM retrieval_passage
    WHERE index_id = {index}
    ORDER BY embedding::halfvec({width}) <=> %(vector)s::halfvec({width})
    LIMIT %(candidates)s
)
SELECT nearest.id
FROM nearest
JOIN documents_revision AS revision ON revision.id = nearest.revision_id
JOIN documents_document AS document ON document.id = revision.document_id
WHERE document.visibility_group_id = ANY (%(groups)s)
ORDER BY nearest.distance
LIMIT %(k)s
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """The ids that may be among the k nearest, ties included, and how many are due."""

    right: frozenset[int]
    due: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Of one reader and one k: mean recall, most passages missing of those due, milliseconds."""

    recall: float
    most_missing: int
    p50_ms: float
    p95_ms: float
    plans: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The questions with their vectors, and what they are asked with."""

    texts: Sequence[str]
    vectors: Sequence[Sequence[float]]
    embedder: Embedder
    config: RetrievalConfig


def measure() -> dict[str, object]:
    """Make the passages, build the graph, and ask as every reader."""
    embedder = product.remembering_embedder()
    product.import_corpora(["cranfield", "cmrc-trial", "cmrc-dev", "span-eval"])
    product.import_policies()
    index = SearchIndex.objects.get(status=SearchIndex.Status.ACTIVE)
    scaled = scale_up(index)
    texts = _questions()
    asked = Asked(
        texts=texts,
        vectors=[embedder.embed_question(text) for text in texts],
        embedder=embedder,
        config=retrieval_config(),
    )
    graph_seconds = _build(index, config=asked.config)
    results = {}
    for reader in SHARES:
        for k in (10, 100):
            truths = find_truths(scaled, reader, asked, k=k)
            results[reader, k] = (
                ask_the_product(truths, reader, asked, k=k),
                ask_the_graph_first(scaled, truths, reader, asked, k=k),
            )
    hybrid = {reader: time_hybrid(reader, asked) for reader in SHARES}
    _print(scaled, results, hybrid)
    return {
        "passages": len(scaled.ids),
        "real": scaled.real,
        "exact_limit": asked.config.exact_limit,
        "graph_seconds": graph_seconds,
        "dense": {
            f"{reader}, k={k}": {"product": asdict(ours), "filtered_afterwards": asdict(theirs)}
            for (reader, k), (ours, theirs) in results.items()
        },
        "hybrid_ms": hybrid,
    }


def find_truths(scaled: Scaled, reader: str, asked: Asked, *, k: int) -> list[Truth]:
    """Return for each question what is nearest among what the reader may read."""
    places = scaled.permitted(reader)
    permitted = scaled.vectors[places].astype(np.float32)
    permitted /= np.linalg.norm(permitted, axis=1, keepdims=True)
    truths = []
    for vector in asked.vectors:
        question = np.asarray(vector, dtype=np.float16).astype(np.float32)
        likeness = permitted @ (question / np.linalg.norm(question))
        due = min(k, len(likeness))
        least = np.partition(likeness, -due)[-due]
        truths.append(
            Truth(right=frozenset(scaled.ids[places[likeness >= least - TIE]].tolist()), due=due)
        )
    return truths


def ask_the_product(truths: Sequence[Truth], reader: str, asked: Asked, *, k: int) -> Figures:
    """Search by meaning as everyone does."""
    found, spent, plans = [], [], set()
    scope = product.scope_of(reader)
    for text in asked.texts:
        question = Question(text=text, mode=SearchMode.DENSE, limit=k)
        started = time.perf_counter()
        retrieval = retrieve_evidence(question, scope, embedder=asked.embedder, config=asked.config)
        spent.append((time.perf_counter() - started) * 1000)
        plans.add(retrieval.plan.value)
        found.append([passage.passage_id for passage in retrieval.passages])
    return _figures(truths, found, spent, plans=sorted(plans))


def ask_the_graph_first(
    scaled: Scaled, truths: Sequence[Truth], reader: str, asked: Asked, *, k: int
) -> Figures:
    """Ask the graph for its nearest, then drop what the reader may not read."""
    statement = FILTERED_AFTERWARDS.format(index=scaled.index.pk, width=scaled.index.dimensions)
    found, spent = [], []
    for vector in asked.vectors:
        parameters: dict[str, Any] = {
            "vector": str(list(vector)),
            "candidates": asked.config.graph_candidates,
            "groups": sorted(scaled.readable[reader]),
            "k": k,
        }
        started = time.perf_counter()
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(
                "SELECT set_config('hnsw.ef_search', %s::text, true)",
                [asked.config.graph_candidates],
            )
            cursor.execute(statement, parameters)
            found.append([row[0] for row in cursor.fetchall()])
        spent.append((time.perf_counter() - started) * 1000)
    return _figures(truths, found, spent)


def time_hybrid(reader: str, asked: Asked) -> dict[str, float | None]:
    """Time the search by words and meaning together, ten passages wanted."""
    scope = product.scope_of(reader)
    spent = []
    for text in asked.texts:
        started = time.perf_counter()
        product.search(text, scope, embedder=asked.embedder, config=asked.config)
        spent.append((time.perf_counter() - started) * 1000)
    return {"p50": metrics.percentile(spent, 0.5), "p95": metrics.percentile(spent, 0.95)}


def _figures(
    truths: Sequence[Truth],
    found: Sequence[Sequence[int]],
    spent: Sequence[float],
    *,
    plans: Sequence[str] = (),
) -> Figures:
    pairs = list(zip(truths, found, strict=True))
    recall = metrics.macro(len(truth.right & set(ids)) / truth.due for truth, ids in pairs).value
    return Figures(
        recall=recall or 0.0,
        most_missing=max(truth.due - len(set(ids)) for truth, ids in pairs),
        p50_ms=metrics.percentile(spent, 0.5) or 0.0,
        p95_ms=metrics.percentile(spent, 0.95) or 0.0,
        plans=tuple(plans),
    )


def _questions() -> list[str]:
    """Pick questions of every corpus in the model's language, by the seed."""
    texts = [question.text for question in corpora.cranfield_questions()]
    texts += [question.text for question in corpora.span_questions()]
    generator = np.random.default_rng(SEED)
    return [texts[place] for place in generator.choice(len(texts), QUESTIONS, replace=False)]


def _build(index: SearchIndex, *, config: RetrievalConfig) -> float:
    started = time.perf_counter()
    with connection.cursor() as cursor:
        cursor.execute("SET maintenance_work_mem = '2GB'")
    build_graph(index, config=config)
    seconds = time.perf_counter() - started
    sys.stderr.write(f"graph built in {seconds:.0f} seconds\n")
    return seconds


def _print(
    scaled: Scaled,
    results: dict[tuple[str, int], tuple[Figures, Figures]],
    hybrid: dict[str, dict[str, float | None]],
) -> None:
    rows = [
        [
            f"{len(scaled.permitted(reader)) / len(scaled.ids):.1%}",
            len(scaled.permitted(reader)),
            k,
            "+".join(ours.plans),
            *(f"{ours.recall:.4f}", ours.most_missing, ours.p50_ms, ours.p95_ms),
            *(f"{theirs.recall:.4f}", theirs.most_missing, theirs.p50_ms, theirs.p95_ms),
        ]
        for (reader, k), (ours, theirs) in results.items()
    ]
    graph = ["graph recall", "missing", "p50 ms", "p95 ms"]
    print_table(
        f"{len(scaled.ids)} passages, {scaled.real} real vectors; by meaning, {QUESTIONS} "
        "questions; right: the graph asked first, filtered afterwards",
        ["share", "permitted", "k", "plan", "recall", "missing", "p50 ms", "p95 ms", *graph],
        rows,
    )
    print_table(
        "words and meaning together, ten wanted, question already embedded",
        ["reader", "p50 ms", "p95 ms"],
        [[reader, *times.values()] for reader, times in hybrid.items()],
    )
