"""Services that decide when a revision is in force: publish, schedule, withdraw, retract, restore.

Every function locks the document's row first, so that publications of one document happen one
after another, and announces inside its transaction what came into force or went out of it.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Coalesce
from django.utils import timezone

from documents import audit, work
from documents.audit import Actor, Operator
from documents.conf import documents_config
from documents.errors import Conflict, DocumentNotFound, InvalidInput
from documents.intervals import EffectiveInterval, interval_of
from documents.models import Document, PublicationOrder, Revision
from documents.planning import Publication, PublicationPlan, place
from documents.services import (
    Upload,
    add_revision,
    check_may_manage,
    next_revision_number,
)
from documents.signals import in_force_changed

Status = Revision.Status


__all__ = [  # a publication's own words are imported from here, with what acts on them
    "Publication",
    "PublicationPlan",
    "announce_elapsed",
    "cancel_publication",
    "lock_document",
    "mark_ready",
    "plan_publication",
    "publish_revision",
    "restore_revision",
    "retract_revision",
    "take_in_revision",
    "withdraw_revision",
]


def plan_publication(revision: Revision, publication: Publication) -> PublicationPlan:
    """Return what publishing the revision so would change; changes nothing.

    Raises: Conflict (`already_published`, `not_publishable`); InvalidInput (`reason_required`).
    """
    _check_publishable(revision, publication)
    now = timezone.now()
    start = publication.starts_at or now
    return place(revision, publication, start=start, now=now, decided_at=now).plan


@transaction.atomic
def take_in_revision(
    document: Document, upload: Upload, publication: Publication | None, *, acted_by: Actor
) -> Revision:
    """Add a revision and, where asked for, order its publication, both or neither.

    Raises: as `add_revision` and `publish_revision`.
    """
    revision = add_revision(document, upload, acted_by=acted_by)
    if publication is None:
        return revision
    return publish_revision(revision, publication, acted_by=acted_by)


@transaction.atomic
def publish_revision(revision: Revision, publication: Publication, *, acted_by: Actor) -> Revision:
    """Bring the revision into force from a moment, or as soon as it is ready.

    Returns: the revision as stored. Where it is not ready, the order waits for it.
    Raises: NotPermitted; Conflict (`already_published`, `not_publishable`); InvalidInput
    (`reason_required`).
    """
    document = lock_document(revision.document_id)
    check_may_manage(acted_by, document.visibility_group)
    revision = Revision.objects.select_for_update(of=("self",)).get(pk=revision.pk)
    _check_publishable(revision, publication)
    if revision.status != Status.READY:
        PublicationOrder.objects.update_or_create(
            revision=revision,
            defaults={
                "starts_at": publication.starts_at,
                "ends_at": publication.ends_at,
                "reason": publication.reason,
                "replace_scheduled": publication.replace_scheduled,
                "ordered_by": audit.account_of(acted_by),
                "ordered_at": timezone.now(),
            },
        )
        _record("publication_ordered", revision, acted_by, publication.reason)
        return revision
    _bring_into_force(revision, publication, acted_by=acted_by, decided_at=timezone.now())
    return revision


def mark_ready(revision_id: int) -> None:
    """Make a revision ready and carry out its waiting publication, in the caller's transaction.

    Called by whoever has just written everything that searching it needs.
    """
    document_id = Revision.objects.values_list("document_id", flat=True).get(pk=revision_id)
    # Deleted ones too: work that was owed is finished, so that undeleting finds it done.
    Document.objects.select_for_update().get(pk=document_id)
    revision = Revision.objects.select_for_update(of=("self",)).get(pk=revision_id)
    revision.status = Status.READY
    revision.failure_code = revision.failure_message = ""
    revision.save(update_fields=["status", "failure_code", "failure_message"])
    order = PublicationOrder.objects.filter(revision=revision).first()
    if order is None:
        return
    publication = Publication(
        starts_at=order.starts_at,
        ends_at=order.ends_at,
        reason=order.reason,
        replace_scheduled=order.replace_scheduled,
    )
    ordered_by = order.ordered_by or Operator("publication order")
    late_start = order.starts_at is not None and order.starts_at < order.ordered_at
    if order.starts_at is not None and not late_start:
        # Ordered for a moment that passed while the file was being read: from now, never before.
        publication = replace(publication, starts_at=max(order.starts_at, timezone.now()))
    order.delete()
    _bring_into_force(revision, publication, acted_by=ordered_by, decided_at=order.ordered_at)


@transaction.atomic
def cancel_publication(revision: Revision, *, acted_by: Actor) -> None:
    """Take back a publication that waits or is scheduled: the revision is never in force.

    Raises: NotPermitted; Conflict (`not_scheduled`).
    """
    document = lock_document(revision.document_id)
    check_may_manage(acted_by, document.visibility_group)
    revision = Revision.objects.select_for_update(of=("self",)).get(pk=revision.pk)
    waiting, _ = PublicationOrder.objects.filter(revision=revision).delete()
    interval = interval_of(revision.effective)
    if not waiting:
        if interval is None or interval.start <= timezone.now():
            raise Conflict("This revision is not scheduled.", code="not_scheduled")
        _store(revision, EffectiveInterval(interval.start, interval.start))
    _record("publication_cancelled", revision, acted_by, "")
    _announce(document)


@transaction.atomic
def withdraw_revision(revision: Revision, *, acted_by: Actor, reason: str = "") -> Revision:
    """End the revision's interval now; earlier moments still answer from it.

    Raises: NotPermitted; Conflict (`not_in_force`).
    """
    document = lock_document(revision.document_id)
    check_may_manage(acted_by, document.visibility_group)
    revision = Revision.objects.select_for_update(of=("self",)).get(pk=revision.pk)
    now = timezone.now()
    interval = interval_of(revision.effective)
    if interval is None or not interval.contains(now) or revision.retracted_at is not None:
        raise Conflict("This revision is not in force.", code="not_in_force")
    _store(revision, interval.ended_at(now))
    _record("withdrawn", revision, acted_by, reason)
    _announce(document)
    return revision


@transaction.atomic
def retract_revision(revision: Revision, *, acted_by: Actor, reason: str) -> Revision:
    """Hide a revision at every moment: it should never have been in force.

    Raises: NotPermitted; InvalidInput (`reason_required`); Conflict (`already_retracted`).
    """
    document = lock_document(revision.document_id)
    check_may_manage(acted_by, document.visibility_group)
    if not reason.strip():
        raise InvalidInput(
            "Say why this revision should never have been in force.",
            code="reason_required",
            details={"field": "reason"},
        )
    revision = Revision.objects.select_for_update(of=("self",)).get(pk=revision.pk)
    if revision.retracted_at is not None:
        raise Conflict("This revision is already retracted.", code="already_retracted")
    revision.retracted_at = timezone.now()
    revision.save(update_fields=["retracted_at"])
    PublicationOrder.objects.filter(revision=revision).delete()
    _record("retracted", revision, acted_by, reason)
    _announce(document)
    return revision


@transaction.atomic
def restore_revision(
    revision: Revision, publication: Publication, *, acted_by: Actor, change_note: str = ""
) -> Revision:
    """Publish the text of an earlier revision again, as a new revision.

    Returns: the new revision, whose text is the old one's; only the indexing of it is owed.
    Raises: NotPermitted; Conflict (`not_restorable`); as publish_revision.
    """
    document = lock_document(revision.document_id)
    check_may_manage(acted_by, document.visibility_group)
    if revision.status != Status.READY:
        raise Conflict("Only a revision that is ready has a text.", code="not_restorable")
    restored = Revision.objects.create(
        document=document,
        number=next_revision_number(document),
        source_file=revision.source_file,
        original_name=revision.original_name,
        declared_encoding=revision.declared_encoding,
        text=revision.text,
        text_sha256=revision.text_sha256,
        language=revision.language,
        layout=revision.layout,
        warnings=revision.warnings,
        status=Status.SPLITTING,
        change_note=change_note or f"Restores revision {revision.number}.",
        created_by=audit.account_of(acted_by),
        created_at=timezone.now(),
    )
    work.owe(restored.pk, work.INDEX)
    _record("restored", restored, acted_by, "", restores=revision.number)
    return publish_revision(restored, publication, acted_by=acted_by)


def announce_elapsed(*, at: datetime) -> None:
    """Let scheduled starts and ends that have passed reach what other apps count.

    Search itself judges time in its own statement; only counts may lag.
    """
    since = at - timedelta(seconds=documents_config().scheduled_lag_seconds)
    revisions = Revision.objects.ever_in_force().order_by()
    started = revisions.filter(effective__startswith__range=(since, at))
    ended = revisions.filter(effective__endswith__range=(since, at))
    document_ids = {*started.values_list("document_id", flat=True)}
    document_ids |= {*ended.values_list("document_id", flat=True)}
    if document_ids:
        with transaction.atomic():
            in_force_changed.send(sender=Document, document_ids=sorted(document_ids), at=at)


def lock_document(document_id: int) -> Document:
    """Lock the document's row until the transaction ends and return it as it is now.

    Raises: DocumentNotFound where it is gone or deleted.
    """
    document: Document | None = (
        Document.objects.existing()
        .select_for_update(of=("self",))
        .select_related("visibility_group")
        .filter(pk=document_id)
        .first()
    )
    if document is None:
        raise DocumentNotFound
    return document


def _check_publishable(revision: Revision, publication: Publication) -> None:
    if revision.effective is not None:
        raise Conflict(
            "This revision was published before; restore it to publish its text again.",
            code="already_published",
        )
    ended = "retracted" if revision.retracted_at else revision.status
    if ended in {"retracted", Status.FAILED, Status.QUARANTINED, Status.CANCELLED}:
        raise Conflict(f"This revision is {ended} and cannot be published.", code="not_publishable")
    start, end = publication.starts_at, publication.ends_at
    if start is not None and end is not None and end < start:
        raise InvalidInput(
            "A revision cannot end before it starts.",
            code="interval_reversed",
            details={"field": "ends_at"},
        )
    if start is not None and start < timezone.now() and not publication.reason.strip():
        raise InvalidInput(
            "A start in the past needs a reason.",
            code="reason_required",
            details={"field": "reason"},
        )


def _bring_into_force(
    revision: Revision, publication: Publication, *, acted_by: Actor, decided_at: datetime
) -> None:
    now = timezone.now()
    start = publication.starts_at or now
    placement = place(revision, publication, start=start, now=now, decided_at=decided_at)
    plan = placement.plan
    for other, interval in placement.changes:
        _store(other, interval)
    PublicationOrder.objects.filter(pk__in=placement.cancelled_orders).delete()
    _outdate_orders(revision, start=start, decided_at=decided_at)
    revision.effective = placement.stored.as_range()
    revision.published_at = now
    revision.published_by = audit.account_of(acted_by)
    revision.entered_late = plan.entered_late
    revision.save(update_fields=["effective", "published_at", "published_by", "entered_late"])
    _record(
        "published",
        revision,
        acted_by,
        publication.reason,
        starts_at=start.isoformat(),
        ended=list(plan.ended),
        replaced=list(plan.replaced),
        cancelled=list(plan.cancelled),
        entered_late=plan.entered_late,
    )
    _announce(revision.document)


def _outdate_orders(revision: Revision, *, start: datetime, decided_at: datetime) -> None:
    """Let what was ordered earlier, and still waits for its text, end where this one starts.

    Otherwise a text that took longer to read would come into force over the one that followed it.
    """
    waiting = PublicationOrder.objects.filter(
        revision__document=revision.document_id, ordered_at__lte=decided_at
    ).exclude(revision=revision)
    waiting.alias(begins=Coalesce("starts_at", "ordered_at")).filter(
        Q(ends_at=None) | Q(ends_at__gt=start), begins__lte=start
    ).update(ends_at=start)


def _store(revision: Revision, interval: EffectiveInterval) -> None:
    revision.effective = interval.as_range()
    revision.save(update_fields=["effective"])


def _announce(document: Document) -> None:
    in_force_changed.send(sender=Document, document_ids=[document.pk], at=timezone.now())


def _record(
    action: str, revision: Revision, acted_by: Actor, reason: str, **details: object
) -> None:
    audit.record(
        action,
        acted_by=acted_by,
        document=revision.document,
        revision=revision,
        group=revision.document.visibility_group,
        details=details,
        reason=reason,
    )
