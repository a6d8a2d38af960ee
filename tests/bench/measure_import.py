"""How long the policy corpus takes to import, in all and embedding, with no worker beside."""

from __future__ import annotations

from retrieval.registry import get_embedder
from tests.bench import product
from tests.bench.recording import print_table


def measure() -> dict[str, object]:
    """Import twice: everything, then nothing."""
    embedder = get_embedder()
    first = product.import_policies()
    again = product.import_policies()
    besides = first.total_seconds - first.embedding_seconds
    print_table(
        "site-policy, seconds (asked for: 480 in all, 120 besides embedding)",
        ["run", "total", "embedding", "besides", "revisions", "new", "passages"],
        [
            [
                name,
                report.total_seconds,
                report.embedding_seconds,
                report.total_seconds - report.embedding_seconds,
                report.revisions,
                report.added,
                report.passages,
            ]
            for name, report in (("first", first), ("again", again))
        ],
    )
    return {
        "precision": embedder.precision,
        "total_seconds": first.total_seconds,
        "embedding_seconds": first.embedding_seconds,
        "besides_embedding_seconds": besides,
        "again_seconds": again.total_seconds,
        "again_added": again.added,
        "revisions": first.revisions,
        "passages": first.passages,
    }
