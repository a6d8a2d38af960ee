"""Writes the audit trail. Ids and short codes only, never document text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils import timezone

from documents.models import AuditEntry, Document, Revision, VisibilityGroup


@dataclass(frozen=True, slots=True)
class Operator:
    """Whoever runs a command at the site's own shell; the command is what the trail names."""

    command: str


Actor = User | Operator


def account_of(actor: Actor) -> User | None:
    """Return the account to store beside a change; a command has none."""
    return None if isinstance(actor, Operator) else actor


def record(
    action: str,
    *,
    acted_by: Actor,
    document: Document | None = None,
    revision: Revision | None = None,
    group: VisibilityGroup | None = None,
    details: Mapping[str, object] | None = None,
    reason: str = "",
) -> None:
    """Add one entry, in the caller's transaction.

    An entry about a document names its group, so that the group's managers find it for ever.
    """
    if group is None and document is not None:
        group = document.visibility_group
    AuditEntry.objects.create(
        at=timezone.now(),
        actor=account_of(acted_by),
        command=acted_by.command if isinstance(acted_by, Operator) else "",
        action=action,
        document_public_id=document.public_id if document else None,
        revision_number=revision.number if revision else None,
        visibility_group_slug=group.slug if group else "",
        details=dict(details or {}),
        reason=reason,
    )
