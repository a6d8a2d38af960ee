"""App registration, and what a worker does before its first task."""

from contextlib import suppress

from django.apps import AppConfig
from kombu.exceptions import OperationalError


class RagsiteConfig(AppConfig):
    """Register the composition root, and say what workers do when they start."""

    name = "ragsite"

    def ready(self) -> None:
        """Register the checks; listen for worker processes, of which only workers hear."""
        from celery.signals import worker_process_init, worker_ready

        from ragsite import checks  # noqa: F401 - importing registers them

        worker_process_init.connect(_load_model, dispatch_uid="load the model after the fork")
        worker_ready.connect(_send_sweep, dispatch_uid="sweep when a worker starts")


def _load_model(**_: object) -> None:
    from retrieval.registry import get_embedder

    get_embedder()


def _send_sweep(**_: object) -> None:
    """Find at once what was owed while no worker ran; without a broker, the next sweep does."""
    from documents import tasks

    with suppress(OperationalError):
        tasks.sweep.apply_async(retry=False)
