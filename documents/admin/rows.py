"""Prepared values of a document's page: what may be named is named, the rest goes by numbers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Subquery
from django.urls import reverse

from documents.admin.actions import Target, list_actions
from documents.admin.requests import show_moment
from documents.intervals import EffectiveInterval, interval_of
from documents.models import Document, Revision
from documents.visibility import nameable_revisions
from documents.work import waiting


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """One thing to do, and where."""

    label: str
    url: str
    grave: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionRow:
    """One line of the table of revisions."""

    number: int
    original_name: str
    state: str
    tone: str  # good, waiting, bad or past: the colour of the state
    failure: str
    starts: str
    ends: str
    entered_late: bool
    retracted: str
    waits: str
    warnings: tuple[str, ...]
    change_note: str
    created: str
    text_url: str
    buttons: tuple[Button, ...]


def list_revision_rows(
    document: Document, user: User, *, at: datetime, manages: bool
) -> list[RevisionRow]:
    """Return the revisions, newest first, each with what this account may know and do."""
    revisions = (
        Revision.objects.without_text()
        .filter(document=document)
        .select_related("publication_order")
        .annotate(
            is_named=Exists(nameable_revisions(user, at=at).filter(pk=OuterRef("pk"))),
            waits_for=Subquery(waiting().filter(revision=OuterRef("pk")).values("failure")[:1]),
        )
        .order_by("-number")
    )
    return [_row(document, revision, at=at, manages=manages) for revision in revisions]


def list_document_buttons(document: Document, *, at: datetime) -> list[Button]:
    """Return what can be done with the document as a whole."""
    target = Target(document=document, revision=None, at=at)
    return [
        Button(
            label=action.label,
            grave=action.grave,
            url=reverse("admin:documents_document_action", args=[document.public_id, action.name]),
        )
        for action in list_actions(target)
    ]


def state_of(revision: Revision, *, at: datetime) -> tuple[str, str]:
    """Return the words for where a revision stands, and their tone."""
    interval = interval_of(revision.effective)
    if revision.retracted_at is not None:
        return "Retracted", "bad"
    if revision.status in {"failed", "quarantined"}:
        return revision.get_status_display(), "bad"
    if revision.status != "ready":
        return (
            revision.get_status_display(),
            "past" if revision.status == "cancelled" else "waiting",
        )
    if revision.effective is None:
        return "Draft, ready", "waiting"
    return _standing(interval, at=at)


def _standing(interval: EffectiveInterval | None, *, at: datetime) -> tuple[str, str]:
    if interval is None:
        return "Never in force", "past"
    if interval.contains(at):
        return "In force", "good"
    return ("Scheduled", "waiting") if interval.start > at else ("Ended", "past")


def _row(document: Document, revision: Revision, *, at: datetime, manages: bool) -> RevisionRow:
    interval = interval_of(revision.effective)
    state, tone = state_of(revision, at=at)
    named = bool(revision.is_named)  # type: ignore[attr-defined]  # annotated above
    path = [document.public_id, revision.number]
    open_at_end = interval is not None and interval.end is None
    return RevisionRow(
        number=revision.number,
        original_name=revision.original_name if named else "",
        state=state,
        tone=tone,
        failure=_failure(revision, named=named),
        starts=show_moment(interval.start) if interval else "",
        ends="open" if open_at_end else show_moment(interval.end if interval else None),
        entered_late=revision.entered_late,
        retracted=show_moment(revision.retracted_at),
        waits=_waiting(revision),
        warnings=tuple(revision.warnings) if named else (),
        change_note=revision.change_note if named else "",
        created=show_moment(revision.created_at),
        text_url=reverse("admin:documents_document_text", args=path)
        if named and revision.status == "ready"
        else "",
        buttons=_buttons(document, revision, at=at) if manages else (),
    )


def _failure(revision: Revision, *, named: bool) -> str:
    waits_for = revision.waits_for  # type: ignore[attr-defined]  # annotated above
    if waits_for:
        return f"Waits, and is tried again by itself. {waits_for}"
    if not revision.failure_code:
        return ""
    return (
        f"{revision.failure_code}: {revision.failure_message}" if named else revision.failure_code
    )


def _waiting(revision: Revision) -> str:
    order = getattr(revision, "publication_order", None)
    if order is None:
        return ""
    if order.starts_at is None:
        return "to be published as soon as it is ready"
    return f"to be published from {show_moment(order.starts_at)}"


def _buttons(document: Document, revision: Revision, *, at: datetime) -> tuple[Button, ...]:
    target = Target(document=document, revision=revision, at=at)
    return tuple(
        Button(
            label=action.label,
            grave=action.grave,
            url=reverse(
                "admin:documents_document_revision_action",
                args=[document.public_id, revision.number, action.name],
            ),
        )
        for action in list_actions(target)
    )
