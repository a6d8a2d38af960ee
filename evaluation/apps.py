"""App registration."""

from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    """Register the evaluation app."""

    name = "evaluation"
