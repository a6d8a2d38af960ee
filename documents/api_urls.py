"""API routes of documents."""

from __future__ import annotations

from django.urls import path

from documents import api

REVISION = "documents/<uuid:public_id>/revisions/<int:number>"

urlpatterns = [
    path("me", api.MeEndpoint.as_view(), name="me"),
    path("visibility-groups", api.GroupsEndpoint.as_view(), name="visibility_groups"),
    path("documents", api.DocumentsEndpoint.as_view(), name="documents"),
    path("documents/<uuid:public_id>", api.DocumentEndpoint.as_view(), name="document"),
    path("documents/<uuid:public_id>/revisions", api.RevisionsEndpoint.as_view(), name="revisions"),
    path(REVISION, api.RevisionEndpoint.as_view(), name="revision"),
    path(f"{REVISION}/publish", api.PublishEndpoint.as_view(), name="publish_revision"),
    path(f"{REVISION}/withdraw", api.WithdrawEndpoint.as_view(), name="withdraw_revision"),
]
