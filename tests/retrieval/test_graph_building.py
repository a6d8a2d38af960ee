"""The graph is built once, while everything else goes on; a broken build is replaced."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, connections
from django.utils import timezone

from retrieval.conf import retrieval_config
from retrieval.graph import TAKE_BUILD_LOCK, build_graph
from retrieval.models import SearchIndex
from retrieval.tasks import maintain_graph
from tests.builders import build_document, build_group
from tests.world import EARLIER

pytestmark = pytest.mark.db(transaction=True)


@pytest.fixture
def graphs_of(db):
    """Tell the graphs that stand for an index and whether they are whole; drop what was built."""

    def valid_graphs(index):
        return [is_valid for name, is_valid in _graphs() if name == f"passage_graph_{index.pk}"]

    yield valid_graphs
    for name, _ in _graphs():
        with connection.cursor() as cursor:
            cursor.execute(f"DROP INDEX {name}")


def _graphs():
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, indisvalid FROM pg_index JOIN pg_class ON oid = indexrelid "
            "WHERE starts_with(relname, 'passage_graph_')"
        )
        return cursor.fetchall()


def test_the_task_builds_the_graph_once(settings, embedder, graphs_of):
    settings.RETRIEVAL = {**settings.RETRIEVAL, "exact_limit": 1}
    rules = build_group("rules", reach="signed_in")
    build_document("One", "Refund.", rules, starts_at=EARLIER)
    maintain_graph()
    assert graphs_of(SearchIndex.objects.get()) == []
    build_document("Two", "Refund.", rules, starts_at=EARLIER)
    maintain_graph()
    index = SearchIndex.objects.get()
    assert graphs_of(index) == [True]
    assert index.graph_built_at is not None
    assert timezone.now() - index.graph_built_at < timedelta(minutes=1)
    maintain_graph()
    assert SearchIndex.objects.get().graph_built_at == index.graph_built_at


def test_a_broken_build_is_replaced(embedder, graphs_of):
    rules = build_group("rules", reach="signed_in")
    for title in ("One", "Two"):
        build_document(title, "Refund.", rules, starts_at=EARLIER)
    index = SearchIndex.objects.get()
    with pytest.raises(IntegrityError), connection.cursor() as cursor:
        cursor.execute(
            f"CREATE UNIQUE INDEX CONCURRENTLY passage_graph_{index.pk} "
            "ON retrieval_passage (index_id)"
        )
    assert graphs_of(index) == [False]
    assert build_graph(index, config=retrieval_config())
    assert graphs_of(index) == [True]


def test_a_build_that_runs_elsewhere_is_left_alone(embedder, graphs_of):
    build_document("One", "Refund.", build_group("rules"), starts_at=EARLIER)
    index = SearchIndex.objects.get()
    other = connections.create_connection("default")
    try:
        with other.cursor() as cursor:
            cursor.execute(TAKE_BUILD_LOCK, {"index_id": index.pk})
        assert not build_graph(index, config=retrieval_config())
        assert graphs_of(index) == []
    finally:
        other.close()
    assert build_graph(index, config=retrieval_config())
