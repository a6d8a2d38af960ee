"""Routes of the API: version 1 by app, its description, and the page to try it."""

from __future__ import annotations

from django.urls import include, path

from ragsite import views
from ragsite.api_description import ApiDescription

VERSION_1 = [
    path("", include("documents.api_urls")),
    path("", include("retrieval.api_urls")),
    path("", include("answers.api_urls")),
]

urlpatterns = [
    path("v1/", include((VERSION_1, "api"))),
    path("schema/", ApiDescription.as_view(), name="api_schema"),
    path("docs/", views.api_reference, name="api_reference"),
]
