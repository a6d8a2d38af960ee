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


def plan_of_the_search(embedder):
    """Return the database's plan of the search statement, where reading whole tables costs dear."""
    plans = []

    def explain(execute, sql, params, many, context):
        if "nearest AS MATERIALIZED" in sql:
            with connection.connection.cursor() as cursor:
                # On so few rows the planner's choice hangs on whether they were analysed yet;
                # without sorting, only what gives the order by itself is left.
                cursor.execute("SET LOCAL enable_seqscan = off")
                cursor.execute("SET LOCAL enable_sort = off")
                cursor.execute(f"EXPLAIN {sql}", params)
                plans.append("\n".join(row[0] for row in cursor.fetchall()))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(explain):
        search(embedder)
    assert len(plans) == 1
    return plans[0]


def test_above_the_exact_limit_the_graph_is_asked_and_gives_no_hidden_passage(index, model):
    retrieval = search(model, limit=10)
    assert retrieval.plan is DensePlan.GRAPH
    assert retrieval.permitted_passages == 12
    assert len(retrieval.passages) == 10
    assert all(item.document_title.startswith("Rule") for item in retrieval.passages)


def test_exact_only_forbids_the_graph(index, model):
    assert search(model, exact_only=True).plan is DensePlan.EXACT


def test_the_statement_can_be_answered_by_the_graph_of_its_index(index, model):
    assert f"Index Scan using passage_graph_{index.pk}" in plan_of_the_search(model)


def test_more_wanted_than_permitted_gives_all_that_are(index, model):
    assert len(search(model, limit=50).passages) == 12
