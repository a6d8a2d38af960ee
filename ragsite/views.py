"""Health of the process and of what it needs. Never document text."""

from __future__ import annotations

from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from documents.models import Work
from retrieval.conf import retrieval_config
from retrieval.index_settings import find_changes
from retrieval.models import SearchIndex
from retrieval.registry import is_embedder_loaded

SETTINGS_CHANGED = "settings changed"


def healthz(request: HttpRequest) -> JsonResponse:  # noqa: ARG001 - Django's signature
    """Answer that the process is up."""
    return JsonResponse({"status": "up"})


def readyz(request: HttpRequest) -> JsonResponse:  # noqa: ARG001 - Django's signature
    """Answer whether this process can answer questions: database, pgvector, model."""
    database, extension = _ask_database()
    model = "loaded" if is_embedder_loaded() else "not loaded"
    index = _index_state() if database == "reachable" else "unknown"
    usable = extension != "missing" and model == "loaded" and index != SETTINGS_CHANGED
    ready = database == "reachable" and usable
    found = {
        "status": "ready" if ready else "unready",
        "database": database,
        "pgvector": extension,
        "model": model,
        "index": index,
    }
    return JsonResponse(found, status=200 if ready else 503)


def _ask_database() -> tuple[str, str]:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
            row = cursor.fetchone()
    except DatabaseError:
        return "unreachable", "unknown"
    return "reachable", row[0] if row else "missing"


def _index_state() -> str:
    """Say whether every readable text is in the index, without counts: anyone may ask."""
    index = SearchIndex.objects.filter(status=SearchIndex.Status.ACTIVE).first()
    if index is not None and find_changes(index, retrieval_config()):
        return SETTINGS_CHANGED
    owed = Work.objects.filter(state__in=[Work.State.OWED, Work.State.LEASED])
    return "in progress" if owed.exists() else "complete"


def api_reference(request: HttpRequest) -> HttpResponse:
    """Show the API's description as a page to try it on."""
    return render(request, "ragsite/api_reference.html")
