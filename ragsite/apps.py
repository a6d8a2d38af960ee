"""App registration, and what a worker process does before its first task."""

from django.apps import AppConfig


class RagsiteConfig(AppConfig):
    """Register the composition root, and let worker processes load their model first."""

    name = "ragsite"

    def ready(self) -> None:
        """Register the checks; listen for worker processes, of which only workers hear."""
        from celery.signals import worker_process_init

        from ragsite import checks  # noqa: F401 - importing registers them

        worker_process_init.connect(_load_model, dispatch_uid="load the model after the fork")


def _load_model(**_: object) -> None:
    from retrieval.registry import get_embedder

    get_embedder()
