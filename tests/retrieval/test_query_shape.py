"""What a search asks of the database: the gate in every statement, and how many statements."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from documents.visibility import scope_for
from retrieval.conf import retrieval_config
from retrieval.models import SearchIndex
from retrieval.pipeline import retrieve_evidence
from retrieval.types import Question, SearchFilters, SearchMode
from tests.api_clients import sign_in
from tests.builders import build_account, build_document
from tests.world import EARLIER

pytestmark = pytest.mark.db

GATED_TABLES = ("retrieval_passage", "retrieval_sentence")
GATES = ("visibility_group", "effective", "deleted_at", "retracted_at")
# "One round trip" is for the candidates: both kinds and their fusion are one statement. Around it
# stand: the active index; the census; counts of the question's words, and of all passages; the
# transaction of the search with its time limit set and taken back; and the texts, by the gate.
QUERIES = [
    "SELECT index",
    "SELECT census",
    "SELECT words",
    "SELECT counted",
    "SAVEPOINT",
    "SELECT limit",
    "SELECT search",
    "SELECT limit",
    "RELEASE",
    "SELECT texts",
]


@pytest.fixture
def reader(rules):
    build_document("Rules", "Refund requests within 14 days.", rules, starts_at=EARLIER)
    return build_account("reader")


def statements_of(action):
    with CaptureQueriesContext(
        connection,
    ) as captured:
        action()
    return [query["sql"] for query in captured.captured_queries]


def search_as(reader, embedder, *, config=None, **question):
    return retrieve_evidence(
        Question(text="refund requests", **question),
        scope_for(reader, at=timezone.now()),
        embedder=embedder,
        config=config or retrieval_config(),
    )


def test_a_search_takes_exactly_these_queries(reader, embedder):
    statements = statements_of(lambda: search_as(reader, embedder))
    assert len(statements) == len(QUERIES), "\n".join(statements)


@pytest.mark.parametrize("mode", list(SearchMode))
def test_more_documents_and_filters_take_no_more_queries(reader, rules, embedder, mode):
    for number in range(12):
        build_document(f"Rules {number}", "Refund requests.", rules, starts_at=EARLIER)
    filters = SearchFilters(visibility_groups=("rules",), languages=("en",))
    for chosen in (SearchFilters(), filters):
        statements = statements_of(
            lambda chosen=chosen: search_as(reader, embedder, mode=mode, filters=chosen, limit=100)
        )
        assert len(statements) == len(QUERIES)


def test_every_read_of_passages_names_the_group_and_the_interval(reader, embedder):
    client = sign_in(reader)
    bodies = [
        {"question": "refund", "mode": mode.value, "filters": filters}
        for mode in SearchMode
        for filters in ({}, {"tags": ["a"]}, {"visibility_groups": ["rules"]})
    ]
    statements = []
    for body in bodies:
        statements += statements_of(
            lambda body=body: client.post("/api/v1/search", body, format="json")
        )
        statements += statements_of(
            lambda body=body: client.post(
                "/api/v1/answers", {k: v for k, v in body.items() if k != "mode"}, format="json"
            )
        )
    check_gates(statements, at_least=2 * len(bodies))


def check_gates(statements, *, at_least):
    """Make sure that every statement on what was computed from texts holds both gates."""
    gated = [sql for sql in statements if reads(sql)]
    assert len(gated) >= at_least
    for sql in gated:
        assert [gate for gate in GATES if gate not in sql] == [], sql


def reads(sql):
    return any(re.search(rf'\b(FROM|JOIN)\s+"?{table}\b', sql, re.I) for table in GATED_TABLES)


def test_the_graph_statement_names_them_too(reader, embedder):
    SearchIndex.objects.update(graph_built_at=timezone.now())
    config = replace(retrieval_config(), exact_limit=0)
    statements = statements_of(lambda: search_as(reader, embedder, config=config))
    check_gates(statements, at_least=1)


def test_statements_are_never_prepared(reader, embedder):
    """A prepared statement may get a generic plan, ten times as slow: see design.md 5."""
    connection.ensure_connection()
    assert connection.connection.prepare_threshold is None
    assert not connection.settings_dict["OPTIONS"].get("server_side_binding")
    for _ in range(12):
        search_as(reader, embedder)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_prepared_statements")
        assert cursor.fetchone() == (0,)


def test_values_are_never_written_into_the_statement_by_hand(reader, embedder):
    from_words = "refund'; DROP TABLE retrieval_passage; --"
    filters = SearchFilters(tags=(from_words,), documents=(from_words,), languages=(from_words,))
    assert search_as(reader, embedder, filters=filters).passages == ()
    assert len(search_as(reader, embedder).passages) == 1
