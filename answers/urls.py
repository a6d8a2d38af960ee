"""Routes of the pages of questions and answers."""

from __future__ import annotations

from django.urls import path

from answers import views

urlpatterns = [
    path("", views.ask_page, name="ask"),
    path("history/", views.history_page, name="history"),
    path("answers/<uuid:query_id>/", views.answer_page, name="answer"),
]
