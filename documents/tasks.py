"""Thin tasks: a hint names an owed step; lease, attempts and retries live in its row."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from documents import publishing, storage, work


@shared_task(name="documents.take_step", ignore_result=True)
def take_step(work_id: int) -> None:
    """Do one owed step, and the ones that it made owed."""
    work.take_step(work_id)


@shared_task(name="documents.sweep", ignore_result=True)
def sweep() -> None:
    """Re-send what is owed, and let scheduled starts and ends take effect in the statistics."""
    now = timezone.now()
    storage.drop_unneeded_sources()
    publishing.announce_elapsed(at=now)
    for work_id in work.takeable(now).values_list("pk", flat=True)[:500]:
        take_step.delay(work_id)
