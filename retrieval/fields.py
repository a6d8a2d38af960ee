"""A tsvector column that takes ready-made lexemes, as our own analysis gives them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib.postgres.search import SearchVectorField


class LexemesField(SearchVectorField):  # type: ignore[type-arg]  # not generic when it runs
    """Written as a list of distinct lexemes; PostgreSQL parses nothing."""

    def get_placeholder(self, value: Any, compiler: Any, connection: Any) -> str:  # noqa: ARG002 - Django's signature
        """Turn the list into a tsvector in the statement."""
        return "array_to_tsvector(%s::text[])"

    def get_prep_value(self, value: Any) -> list[str]:
        """Sort the lexemes, so that equal sets are written alike."""
        return sorted(set(value))


def any_of(lexemes: Iterable[str]) -> str:
    """Return the text of a tsquery that any of the lexemes satisfies.

    Each lexeme is quoted as PostgreSQL's tsquery syntax asks: quotes and backslashes doubled.
    """
    return " | ".join(
        "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'" for lexeme in lexemes
    )
