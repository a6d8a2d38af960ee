"""Sets the subqueries of documents/visibility.py into the search statements, with their values.

A statement's text is a constant and the SQL that Django compiled from a queryset; no value is ever
written into it.
"""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

Parameters = dict[str, Any]


def subquery(rows: QuerySet[Any, Any], *, name: str) -> tuple[str, Parameters]:
    """Return the SQL of a queryset with named parameters, and their values.

    A queryset that can match nothing becomes a subquery without rows.
    """
    compiled, values = rows.query.sql_with_params()
    parts = compiled.split("%s")
    if len(parts) != len(values) + 1:
        raise ValueError("the compiled subquery does not fit its values")
    names = [f"{name}_{position}" for position in range(len(values))]
    pieces = [parts[0]]
    for placeholder, part in zip(names, parts[1:], strict=True):
        pieces.append(f"%({placeholder})s{part}")
    return "".join(pieces), dict(zip(names, values, strict=True))
