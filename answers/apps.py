"""App registration."""

from django.apps import AppConfig


class AnswersConfig(AppConfig):
    """Register the answers app."""

    name = "answers"
