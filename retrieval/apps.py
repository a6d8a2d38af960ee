"""App registration."""

from django.apps import AppConfig


class RetrievalConfig(AppConfig):
    """Register the retrieval app."""

    name = "retrieval"
