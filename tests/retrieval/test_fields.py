"""Lexemes enter PostgreSQL ready-made, whatever characters they hold."""

import pytest
from django.db import connection

from retrieval.fields import any_of
from retrieval.models import Passage
from tests.builders import build_document
from tests.world import EARLIER

pytestmark = pytest.mark.db

LEXEMES = [
    "ds-7604ni-e1/4p",
    "it's",
    "a\\b",
    "'",
    "\\",
    "c++",
    "§",
    "汇率",
    "a b",
    "%s",
    "&|!()<->:*",
]


def matches(lexemes, question):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT array_to_tsvector(%s::text[]) @@ %s::tsquery", [lexemes, any_of(question)]
        )
        return cursor.fetchone()[0]


@pytest.mark.parametrize("lexeme", LEXEMES)
def test_a_lexeme_matches_itself_and_no_other(lexeme):
    assert matches([lexeme], [lexeme])
    assert not matches([other for other in LEXEMES if other != lexeme], [lexeme])


def test_any_of_several_is_enough():
    assert matches(["a"], ["b", "a"])
    assert not matches(["c"], ["b", "a"])


def test_of_no_lexeme_none_is_found():
    assert any_of([]) == ""
    assert not matches(["a"], [])


def test_lexemes_are_stored_as_they_are(rules):
    build_document("Valves", "DS-7604NI-E1/4P needs it's C++.", rules, starts_at=EARLIER)
    with connection.cursor() as cursor:
        cursor.execute("SELECT tsvector_to_array(lexemes) FROM retrieval_passage")
        stored = set(cursor.fetchone()[0])
    assert {"ds-7604ni-e1/4p", "c++", "valv"} <= stored


def test_passages_are_read_without_parsing_their_lexemes(rules):
    build_document("Valves", "It's \\ 'quoted'.", rules, starts_at=EARLIER)
    assert Passage.objects.get().lexemes is not None
