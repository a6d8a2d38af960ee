"""Routes, by app."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from ragsite import views

handler400 = "ragsite.errors.bad_request"
handler404 = "ragsite.errors.not_found"
handler500 = "ragsite.errors.server_error"

urlpatterns = [
    path("", include("answers.urls")),
    path("documents/", include("documents.urls")),
    path("", include("ragsite.accounts")),
    path("admin/", admin.site.urls),
    path("api/", include("ragsite.api_urls")),
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
]
