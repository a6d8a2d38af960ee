"""What can be done with a document or a revision: when, with which questions, by which service."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django import forms
from django.contrib.auth.models import User

from documents import publishing, services
from documents.admin.requests import show_moment
from documents.forms import (
    GroupForm,
    OptionalReasonForm,
    PublicationForm,
    ReasonForm,
)
from documents.intervals import EffectiveInterval, interval_of
from documents.models import Document, Revision
from documents.publishing import PublicationPlan, plan_publication
from documents.services import ENDED_BADLY, UNFINISHED


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What an action is done to, at the moment of the request."""

    document: Document
    revision: Revision | None
    at: datetime

    @property
    def interval(self) -> EffectiveInterval | None:
        """When the revision is in force."""
        return None if self.revision is None else interval_of(self.revision.effective)

    @property
    def the_revision(self) -> Revision:
        """The revision of an action that is only offered on revisions."""
        if self.revision is None:
            raise LookupError("this action needs a revision")
        return self.revision


Offered = Callable[[Target], bool]
Effect = Callable[[Target, forms.Form, User], None]
Planner = Callable[[Target, forms.Form], PublicationPlan]


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One button: when it is offered, what it asks and says beforehand, and what it calls."""

    name: str
    label: str
    consequence: str
    done: str
    offered: Offered
    effect: Effect
    form: type[forms.Form] = forms.Form
    plan: Planner | None = None
    grave: bool = False
    while_deleted: bool = False  # of a revision: also while its document is deleted


def describe_plan(plan: PublicationPlan, *, waits: bool) -> list[str]:
    """Say what a publication would change, one sentence each.

    A publication that waits for its revision takes effect when that is ready.
    """
    interval = plan.interval
    if waits:
        end = f", until {show_moment(interval.end)}" if interval.end else ", without an end"
        lines = [f"In force as soon as its file is read and indexed{end}."]
    elif interval.is_empty:
        lines = ["It would never be in force: its end is not after its start."]
    elif interval.end is None:
        lines = [f"In force from {show_moment(interval.start)}, without an end."]
    else:
        until = show_moment(interval.end)
        lines = [f"In force from {show_moment(interval.start)} until {until}."]
    lines += [f"Revision {number} ends at that start." for number in plan.ended]
    lines += [
        f"Revision {number} has that same start: it is replaced and never in force."
        for number in plan.replaced
    ]
    lines += [
        f"Revision {number} is ordered but not ready: once it is, this one ends at its start."
        for number in plan.awaited
    ]
    lines += [f"Revision {number} is cancelled and never starts." for number in plan.cancelled]
    if plan.entered_late:
        lines.append("The start lies in the past: it is marked as entered late.")
    return lines


def plan_key(plan: PublicationPlan, form: forms.Form) -> str:
    """Return what must be the same when a plan that was shown is confirmed.

    A start that the form does not name is now, and moves on between the two.
    """
    start = form.cleaned_data.get("starts_at") or ""
    end = plan.interval.end.isoformat() if plan.interval.end else ""
    numbers = f"{plan.ended}{plan.replaced}{plan.cancelled}{plan.awaited}"
    return f"{numbers}{plan.entered_late}{start}/{end}"


def _publish(target: Target, form: forms.Form, user: User) -> None:
    publishing.publish_revision(target.the_revision, _publication(form), acted_by=user)


def _restore(target: Target, form: forms.Form, user: User) -> None:
    publishing.restore_revision(target.the_revision, _publication(form), acted_by=user)


def _publication(form: forms.Form) -> publishing.Publication:
    if not isinstance(form, PublicationForm):
        raise TypeError("a publication comes from its own form")
    return form.publication()


def _plan_publishing(target: Target, form: forms.Form) -> PublicationPlan:
    return plan_publication(target.the_revision, _publication(form))


def _plan_restoring(target: Target, form: forms.Form) -> PublicationPlan:
    return plan_publication(Revision(document=target.document), _publication(form))


def _is_scheduled(target: Target) -> bool:
    interval = target.interval
    if target.revision is None:
        return False
    waits = hasattr(target.revision, "publication_order")
    return waits or (interval is not None and interval.start > target.at)


def _is_in_force(target: Target) -> bool:
    interval = target.interval
    retracted = target.revision is None or target.revision.retracted_at is not None
    return not retracted and interval is not None and interval.contains(target.at)


def _has_status(target: Target, *statuses: str) -> bool:
    return target.revision is not None and target.revision.status in statuses


def _is_publishable(target: Target) -> bool:
    return _has_status(target, "ready", *UNFINISHED) and target.the_revision.effective is None


REVISION_ACTIONS = [
    Action(
        name="publish",
        label="Publish",
        consequence="Readers get this revision from its start on.",
        done="The revision is published.",
        offered=_is_publishable,
        effect=_publish,
        form=PublicationForm,
        plan=_plan_publishing,
    ),
    Action(
        name="unschedule",
        label="Cancel publication",
        consequence="It is never in force. What was ended for it stays ended at that moment: "
        "publish or restore another revision to follow it.",
        done="The publication is cancelled.",
        offered=_is_scheduled,
        effect=lambda t, _f, u: publishing.cancel_publication(t.the_revision, acted_by=u),
    ),
    Action(
        name="withdraw",
        label="Withdraw",
        consequence="It ends now. Questions about earlier moments are still answered from it, "
        "and its citations still open.",
        done="The revision is withdrawn.",
        offered=_is_in_force,
        effect=lambda t, f, u: _quietly(
            publishing.withdraw_revision(
                t.the_revision, acted_by=u, reason=f.cleaned_data["reason"]
            )
        ),
        form=OptionalReasonForm,
    ),
    Action(
        name="restore",
        label="Restore",
        consequence="Its text is published again, as a new revision.",
        done="The text is restored as a new revision.",
        offered=lambda t: _has_status(t, "ready") and t.the_revision.effective is not None,
        effect=_restore,
        form=PublicationForm,
        plan=_plan_restoring,
    ),
    Action(
        name="retry",
        label="Try again",
        consequence="Its file is read anew.",
        done="The file will be read again.",
        offered=lambda t: _has_status(t, *ENDED_BADLY),
        effect=lambda t, _f, u: services.retry_revision(t.the_revision, acted_by=u),
        while_deleted=True,
    ),
    Action(
        name="stop",
        label="Stop reading",
        consequence="The work on its file is cancelled; a waiting publication is forgotten.",
        done="The work is cancelled.",
        offered=lambda t: _has_status(t, *UNFINISHED),
        effect=lambda t, _f, u: services.cancel_revision(t.the_revision, acted_by=u),
        while_deleted=True,
    ),
    Action(
        name="retract",
        label="Retract",
        consequence="It is hidden at every moment, as if it had never been in force. "
        "This cannot be undone; its text can be restored.",
        done="The revision is retracted.",
        offered=lambda t: t.interval is not None and t.the_revision.retracted_at is None,
        effect=lambda t, f, u: _quietly(
            publishing.retract_revision(t.the_revision, acted_by=u, reason=f.cleaned_data["reason"])
        ),
        form=ReasonForm,
        grave=True,
    ),
]

DOCUMENT_ACTIONS = [
    Action(
        name="move",
        label="Move to another group",
        consequence="From then on exactly those who may read that group may read the document.",
        done="The document is moved.",
        offered=lambda t: t.document.deleted_at is None,
        effect=lambda t, f, u: _quietly(
            services.move_document(t.document, to_group=f.cleaned_data["group"], acted_by=u)
        ),
        form=GroupForm,
    ),
    Action(
        name="delete",
        label="Delete",
        consequence="It is hidden from everyone at every moment. It can be brought back.",
        done="The document is deleted.",
        offered=lambda t: t.document.deleted_at is None,
        effect=lambda t, f, u: services.delete_document(
            t.document, acted_by=u, reason=f.cleaned_data["reason"]
        ),
        form=OptionalReasonForm,
        grave=True,
    ),
    Action(
        name="undelete",
        label="Bring back",
        consequence="Its readers may read it again.",
        done="The document is back.",
        offered=lambda t: t.document.deleted_at is not None,
        effect=lambda t, _f, u: services.undelete_document(t.document, acted_by=u),
    ),
    Action(
        name="purge",
        label="Purge",
        consequence="All its revisions, texts and files are removed for good, and everything "
        "that was made from them. This cannot be undone.",
        done="The document is purged.",
        offered=lambda t: t.document.deleted_at is not None,
        effect=lambda t, f, u: services.purge_document(
            t.document, acted_by=u, reason=f.cleaned_data["reason"]
        ),
        form=ReasonForm,
        grave=True,
    ),
]


def find_action(target: Target, name: str) -> Action | None:
    """Return the action of that name where it is offered on the target now."""
    return next((action for action in list_actions(target) if action.name == name), None)


def list_actions(target: Target) -> list[Action]:
    """Return what can be done with the target now.

    A deleted document is brought back before anything is done about when it is in force.
    """
    if target.revision is None:
        return [action for action in DOCUMENT_ACTIONS if action.offered(target)]
    is_deleted = target.document.deleted_at is not None
    actions = [action for action in REVISION_ACTIONS if action.while_deleted or not is_deleted]
    return [action for action in actions if action.offered(target)]


def _quietly(_result: object) -> None:
    """Drop what a service returns: the page is read anew."""
