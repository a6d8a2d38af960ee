"""Thin tasks that keep the index as it should be."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from retrieval.conf import retrieval_config
from retrieval.graph import build_graph, needs_graph
from retrieval.models import SearchIndex
from retrieval.statistics import repair_statistics as repair


@shared_task(name="retrieval.maintain_graph", ignore_result=True)
def maintain_graph() -> None:
    """Build the active index's graph once it has outgrown the exact search."""
    config = retrieval_config()
    for index in SearchIndex.objects.filter(status=SearchIndex.Status.ACTIVE):
        if needs_graph(index, config=config):
            build_graph(index, config=config)


@shared_task(name="retrieval.repair_statistics", ignore_result=True)
def repair_statistics() -> None:
    """Count what started or ended while nobody ran that would have told."""
    repair(at=timezone.now())
