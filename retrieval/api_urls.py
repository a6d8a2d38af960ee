"""API routes of search."""

from __future__ import annotations

from django.urls import path

from retrieval import api

urlpatterns = [path("search", api.SearchEndpoint.as_view(), name="search")]
