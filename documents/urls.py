"""Routes of the document pages."""

from __future__ import annotations

from django.urls import path

from documents import views

urlpatterns = [
    path("", views.document_list, name="document_list"),
    path("<uuid:public_id>/", views.document_page, name="document"),
    path("<uuid:public_id>/revisions/<int:number>/", views.revision_page, name="revision"),
]
