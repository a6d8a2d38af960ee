"""The approximate graph of an index: built once it holds more passages than are searched exactly.

Each index has its own partial graph on the cast to its width, so that indexes of several widths
can stand side by side.
"""

from __future__ import annotations

from django.contrib.postgres.indexes import OpClass
from django.db import connection
from django.db.models import F, Q
from django.db.models.functions import Cast
from django.utils import timezone
from pgvector.django import HalfVectorField, HnswIndex

from retrieval.conf import RetrievalConfig
from retrieval.models import Passage, SearchIndex

# Of the session, so that it ends with a process that dies; the first number keeps it apart from
# the locks of statistics.
TAKE_BUILD_LOCK = "SELECT pg_try_advisory_lock(hashtext('retrieval.graph'), %(index_id)s::int)"
GIVE_BUILD_LOCK = "SELECT pg_advisory_unlock(hashtext('retrieval.graph'), %(index_id)s::int)"


def graph_of(index: SearchIndex, *, config: RetrievalConfig) -> HnswIndex:
    """Return the definition of an index's graph."""
    vector = Cast(F("embedding"), HalfVectorField(dimensions=index.dimensions))
    return HnswIndex(
        OpClass(vector, name="halfvec_cosine_ops"),
        name=f"passage_graph_{index.pk}",
        condition=Q(index=index.pk),
        m=config.graph_m,
        ef_construction=config.graph_ef_construction,
    )


def needs_graph(index: SearchIndex, *, config: RetrievalConfig) -> bool:
    """Whether the index has outgrown the exact search and has no graph yet."""
    if index.graph_built_at is not None:
        return False
    limit = config.exact_limit
    return Passage.objects.filter(index=index)[: limit + 1].count() > limit


def build_graph(index: SearchIndex, *, config: RetrievalConfig) -> bool:
    """Build the graph while searches and uploads go on, replacing what a broken build left.

    Returns: whether this call built it; False where another process is building it now.
    Must run outside a transaction.
    """
    with connection.cursor() as cursor:
        cursor.execute(TAKE_BUILD_LOCK, {"index_id": index.pk})
        if not cursor.fetchone()[0]:
            return False
        try:
            _build(index, graph_of(index, config=config))
        finally:
            cursor.execute(GIVE_BUILD_LOCK, {"index_id": index.pk})
    return True


def _build(index: SearchIndex, graph: HnswIndex) -> None:
    with connection.schema_editor(atomic=False) as editor:
        editor.remove_index(Passage, graph, concurrently=True)  # type: ignore[call-arg]  # PostgreSQL's editor takes it
        editor.add_index(Passage, graph, concurrently=True)  # type: ignore[call-arg]  # same
    SearchIndex.objects.filter(pk=index.pk).update(graph_built_at=timezone.now())
