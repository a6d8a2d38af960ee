"""Thin tasks that keep the index as it should be."""

from __future__ import annotations

from celery import shared_task

from retrieval.conf import retrieval_config
from retrieval.graph import build_graph, needs_graph
from retrieval.models import SearchIndex


@shared_task(name="retrieval.maintain_graph", ignore_result=True)
def maintain_graph() -> None:
    """Build the active index's graph once it has outgrown the exact search."""
    config = retrieval_config()
    for index in SearchIndex.objects.filter(status=SearchIndex.Status.ACTIVE):
        if needs_graph(index, config=config):
            build_graph(index, config=config)
