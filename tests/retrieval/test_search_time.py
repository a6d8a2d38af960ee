"""A search that takes too long is stopped by the database, and says so."""

from dataclasses import replace

import pytest
from django.db import connection
from django.utils import timezone

from documents.visibility import scope_for_groups
from retrieval import search_sql
from retrieval.conf import retrieval_config
from retrieval.errors import SearchTimedOut
from retrieval.pipeline import retrieve_evidence
from retrieval.types import Question

SLOW = search_sql.SEARCH_BY_SCAN.replace("LIMIT %(kept)s", "LIMIT %(kept)s + 0 * pg_sleep_ms()")


@pytest.fixture
def slow_search(monkeypatch):
    """Make the real statement slow in the database itself."""
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION pg_sleep_ms() RETURNS int LANGUAGE plpgsql AS "
            "$$ BEGIN PERFORM pg_sleep(5); RETURN 0; END $$"
        )
    monkeypatch.setattr(search_sql, "SEARCH_BY_SCAN", SLOW)


@pytest.mark.db
def test_a_search_beyond_its_time_is_stopped_and_leaves_the_transaction_usable(
    world,
    fake_index,
    slow_search,
):
    config = replace(retrieval_config(), statement_timeout_ms=100)
    scope = scope_for_groups(frozenset(), at=timezone.now())
    with pytest.raises(SearchTimedOut):
        retrieve_evidence(Question(text="refunds"), scope, embedder=fake_index, config=config)
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == ("0",)
