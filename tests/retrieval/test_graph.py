"""The graph: built beside the rows, asked above the exact limit, within the gate."""

from dataclasses import replace

import pytest
from django.db import connection
from django.utils import timezone

from documents.visibility import scope_for_groups
from retrieval.conf import retrieval_config
from retrieval.graph import build_graph, needs_graph
from retrieval.models import SearchIndex
from retrieval.pipeline import retrieve_evidence
from retrieval.types import DensePlan, Question, SearchMode
from tests.builders import build_document, build_group
from tests.searching import indexing_builders
from tests.world import EARLIER

pytestmark = pytest.mark.db(transaction=True)

CONFIG = replace(retrieval_config(), exact_limit=3, pool_size=10)


@pytest.fixture
def model():
    """Index whatever the builders make, with the fake model."""
    with indexing_builders() as embedder:
        yield embedder


@pytest.fixture
def index(model):
    """Twelve passages that everyone signed in may read, four that nobody may, and a graph."""
    open_group = build_group("handbook", reach="signed_in")
    hidden_group = build_group("board")
    for number in range(12):
        build_document(f"Rule {number}", f"Rule {number} on leave.", open_group, starts_at=EARLIER)
    for number in range(4):
        build_document(f"Secret {number}", "Rule on leave.", hidden_group, starts_at=EARLIER)
    index = SearchIndex.objects.get()
    assert needs_graph(index, config=CONFIG)
    build_graph(index, config=CONFIG)
    return SearchIndex.objects.get()


def search(embedder, **changes):
    question = Question(text="leave", mode=SearchMode.DENSE, **changes)
    scope = scope_for_groups(frozenset(), at=timezone.now())
    return retrieve_evidence(question, scope, embedder=embedder, config=CONFIG)


def plan_of_the_graph(embedder, *, may_sort):
    """Return how the database would take the candidates by meaning, whole tables unread."""
    plans = []

    def explain(execute, sql, params, many, context):
        if "nearest AS MATERIALIZED" in sql:
            with connection.connection.cursor() as cursor:
                # The choice must not hang on whether these few rows were analysed by now.
                cursor.execute("ANALYZE retrieval_passage")
                cursor.execute("SET LOCAL enable_seqscan = off")
                cursor.execute(f"SET LOCAL enable_sort = {'on' if may_sort else 'off'}")
                cursor.execute(f"EXPLAIN {sql}", params)
                plans.append("\n".join(row[0] for row in cursor.fetchall()))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(explain):
        search(embedder)
    assert len(plans) == 1
    return plans[0].partition("CTE graph")[2].partition("CTE nearest")[0]


def test_above_the_exact_limit_the_graph_is_asked_and_gives_no_hidden_passage(index, model):
    retrieval = search(model, limit=10)
    assert retrieval.plan is DensePlan.GRAPH
    assert retrieval.permitted_passages == 12
    assert len(retrieval.passages) == 10
    assert all(item.document_title.startswith("Rule") for item in retrieval.passages)


def test_exact_only_forbids_the_graph(index, model):
    assert search(model, exact_only=True).plan is DensePlan.EXACT


def test_the_statement_can_be_answered_by_the_graph_of_its_index(index, model):
    plan = plan_of_the_graph(model, may_sort=False)
    assert f"Index Scan using passage_graph_{index.pk}" in plan


def test_the_permitted_revisions_are_a_filter_and_never_the_way_in(index, model):
    plan = plan_of_the_graph(model, may_sort=True)
    assert "Filter: ((ANY (revision_id = (hashed SubPlan" in plan
    assert "Cond: (revision_id" not in plan


def test_more_wanted_than_permitted_gives_all_that_are(index, model):
    assert len(search(model, limit=50).passages) == 12
