"""API routes of answers."""

from __future__ import annotations

from django.urls import path

from answers import api

urlpatterns = [
    path("answers", api.AnswersEndpoint.as_view(), name="answers"),
    path("answers/<uuid:query_id>", api.AnswerEndpoint.as_view(), name="answer"),
]
