"""App registration."""

from django.apps import AppConfig


class DocumentsConfig(AppConfig):
    """Register the documents app and its owed step."""

    name = "documents"
