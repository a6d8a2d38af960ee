"""Routes, by app."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from ragsite import views

urlpatterns = [
    path("", include("answers.urls")),
    path("documents/", include("documents.urls")),
    path("", include("ragsite.accounts")),
    path("admin/", admin.site.urls),
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
]
