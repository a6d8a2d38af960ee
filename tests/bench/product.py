"""The product's own import, index and search, as measurements use them."""

from __future__ import annotations

import functools
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from django.test.utils import override_settings

from documents import work
from documents.visibility import ReadScope, scope_for_groups
from ragsite.importing import ImportReport, import_folder
from retrieval.conf import RetrievalConfig, retrieval_config
from retrieval.indexing import index_revision
from retrieval.pipeline import retrieve_evidence
from retrieval.protocols import Embedder
from retrieval.registry import get_embedder
from retrieval.results import RankedPassage
from retrieval.types import Question, SearchMode
from tests.bench import corpora
from tests.bench.recording import DATA_DIR, bench_folder
from tests.bench.remembering import RememberingEmbedder

NOW = datetime(2026, 4, 1, tzinfo=UTC)
WRITERS: Mapping[str, Callable[[Path], None]] = {
    "cranfield": corpora.write_cranfield,
    "cmrc-trial": functools.partial(corpora.write_cmrc, part="trial"),
    "cmrc-dev": functools.partial(corpora.write_cmrc, part="dev"),
    "span-eval": corpora.write_span_corpora,
}


def remembering_embedder() -> Embedder:
    """Return the product's embedder, remembering between runs, and let indexing use it."""
    embedder = RememberingEmbedder(get_embedder(), bench_folder())
    work.register_step(work.INDEX, functools.partial(index_revision, embedder=embedder))
    return embedder


@contextmanager
def product_settings(**changes: object) -> Iterator[RetrievalConfig]:
    """Let the product run with other knobs than its own."""
    with override_settings(RETRIEVAL=changes):
        yield retrieval_config()


def import_corpora(names: Sequence[str]) -> None:
    """Import the corpora, each readable by the group of its name alone."""
    for name in names:
        with tempfile.TemporaryDirectory() as parent:
            folder = Path(parent) / name
            WRITERS[name](folder)
            check_import(name, import_folder(folder, group=name))


def import_policies() -> ImportReport:
    """Import the policy corpus with its visibility file."""
    folder = DATA_DIR / "site-policy"
    report = import_folder(folder, visibility=folder / "visibility.json")
    check_import("site-policy", report)
    return report


def check_import(name: str, report: ImportReport) -> None:
    sys.stderr.write(
        f"{name}: {report.documents} documents, {report.revisions} revisions, "
        f"{report.passages} passages in {report.total_seconds:.0f} seconds\n"
    )
    if report.failed:
        raise RuntimeError(f"{name} did not import whole: {report.failed[:3]}")


def scope_of(*names: str, at: datetime = NOW) -> ReadScope:
    """Return the scope of a signed-in member of these groups."""
    return scope_for_groups(frozenset(names), at=at)


def search(
    text: str,
    scope: ReadScope,
    *,
    embedder: Embedder,
    config: RetrievalConfig,
    mode: SearchMode = SearchMode.HYBRID,
    limit: int = 10,
) -> Sequence[RankedPassage]:
    """Search as everyone does."""
    question = Question(text=text, mode=mode, limit=limit)
    return retrieve_evidence(question, scope, embedder=embedder, config=config).passages
