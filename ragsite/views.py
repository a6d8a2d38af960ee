"""Health of the process and of what it needs. Never document text."""

from __future__ import annotations

from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render


def healthz(request: HttpRequest) -> JsonResponse:  # noqa: ARG001 - Django's signature
    """Answer that the process is up."""
    return JsonResponse({"status": "up"})


def readyz(request: HttpRequest) -> JsonResponse:  # noqa: ARG001 - Django's signature
    """Answer whether the database can be asked."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return JsonResponse({"status": "unready", "database": "unreachable"}, status=503)
    return JsonResponse({"status": "ready", "database": "reachable"})


def api_reference(request: HttpRequest) -> HttpResponse:
    """Show the API's description as a page to try it on."""
    return render(request, "ragsite/api_reference.html")
