"""Thin tasks: a hint names an owed step; lease, attempts and retries live in its row."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from documents import publishing, storage, work

# Whoever gets one goes on with the rest; one for each step would pile up in the broker.
REMINDERS = 8


@shared_task(name="documents.take_step", ignore_result=True)
def take_step(work_id: int) -> None:
    """Do one owed step, then the others that are owed."""
    work.take_on(work_id)


@shared_task(name="documents.sweep", ignore_result=True)
def sweep() -> None:
    """Remind workers of what is owed, and let scheduled starts and ends reach the statistics."""
    now = timezone.now()
    storage.drop_unneeded_sources()
    publishing.announce_elapsed(at=now)
    for work_id in work.takeable(now).values_list("pk", flat=True)[:REMINDERS]:
        take_step.delay(work_id)
