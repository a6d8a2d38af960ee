"""Subqueries go into a statement with their values named, never written in."""

import pytest
from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.utils import timezone

from documents.models import Document
from documents.visibility import readable_documents, scope_for_groups
from retrieval.composing import subquery
from tests.builders import build_document
from tests.world import EARLIER

pytestmark = pytest.mark.db

HOSTILE = ["'; DROP TABLE x; --", "%s", "%(name_0)s", "%%", "{readable}", "\\"]


def test_every_value_gets_a_name():
    rows = Document.objects.filter(slug="a", title="b").values("pk")
    sql, values = subquery(rows, name="part")
    assert "%(part_0)s" in sql
    assert "%(part_1)s" in sql
    assert "%s" not in sql
    assert values == {"part_0": "a", "part_1": "b"}


@pytest.mark.parametrize("slug", HOSTILE)
def test_no_value_is_written_into_the_text(slug):
    sql, values = subquery(Document.objects.filter(title=slug).values("pk"), name="part")
    assert slug not in sql.replace("%(part_0)s", "")
    assert values == {"part_0": slug}
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        assert cursor.fetchall() == []


def test_a_composed_statement_finds_what_the_queryset_does(rules):
    build_document("One", "Text.", rules, starts_at=EARLIER)
    build_document("Two", "Text.", rules, publish=False)
    rows = readable_documents(scope_for_groups(frozenset({"a", "b"}), at=timezone.now()))
    sql, values = subquery(rows.order_by("pk").values("pk"), name="readable")
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        assert cursor.fetchall() == list(rows.order_by("pk").values_list("pk"))


def test_what_can_match_nothing_says_so():
    with pytest.raises(EmptyResultSet):
        subquery(Document.objects.filter(pk__in=[]).values("pk"), name="part")


def test_two_subqueries_share_a_statement():
    first, one = subquery(Document.objects.filter(slug="a").values("pk"), name="first")
    second, two = subquery(Document.objects.filter(slug="b").values("pk"), name="second")
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join([f"({first})", f"({second})"]), {**one, **two})
        assert cursor.fetchall() == []
