"""Which answers a reader who is not signed in may open again: those that their session holds.

A query id cannot be guessed, and the session is theirs alone; signing in or out ends it.
"""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest

SESSION_KEY = "query_ids"
MOST_KEPT = 50


def remember_answer(request: HttpRequest, query_id: UUID) -> None:
    """Keep an answer's id in the session of a reader who is not signed in."""
    if not request.user.is_authenticated:
        kept = request.session.get(SESSION_KEY, [])
        request.session[SESSION_KEY] = [*kept, str(query_id)][-MOST_KEPT:]


def remembered_answers(request: HttpRequest) -> frozenset[UUID]:
    """Return the ids that the session holds; none for whoever is signed in."""
    if request.user.is_authenticated:
        return frozenset()
    return frozenset(UUID(query_id) for query_id in request.session.get(SESSION_KEY, []))
