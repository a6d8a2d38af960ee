"""One page for every action: what it asks, what it would change, and the button that does it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse

from documents.admin import listing
from documents.admin.actions import Action, Target, describe_plan, find_action, plan_key
from documents.admin.requests import account_of, add_refusal, moment_of, page_context
from documents.errors import ProductError
from documents.forms import GroupForm
from documents.models import Document, Revision
from documents.publishing import PublicationPlan
from documents.visibility import manageable_groups


def action_page(
    request: HttpRequest, public_id: UUID, name: str, number: int | None = None
) -> HttpResponse:
    """Ask, show what would change, and do it on the second POST at the latest.

    An action that changes when texts are in force is done only as it was shown.
    """
    user, at = account_of(request), moment_of(request)
    document = listing.get_managed(user, public_id, at=at)
    target = Target(document=document, revision=_find_revision(document, number), at=at)
    action = find_action(target, name)
    if action is None:
        messages.warning(request, "That is not possible any more; this is how things stand.")
        return _to_document(document)
    form = _form_of(action, request, user)
    planned: PublicationPlan | None = None
    if request.method == "POST" and form.is_valid():
        planned = _planned(action, target, form)
        shown = planned is None or request.POST.get("shown") == plan_key(planned, form)
        if shown and not form.errors and _done(request, action, target, form):
            return _after(document)
    return _render(request, action, target, form=form, planned=planned)


def _find_revision(document: Document, number: int | None) -> Revision | None:
    if number is None:
        return None
    revision = (
        Revision.objects.select_related("publication_order", "source_file", "document")
        .filter(document=document, number=number)
        .first()
    )
    if revision is None:
        raise Http404
    return revision


def _form_of(action: Action, request: HttpRequest, user: User) -> Form:
    options: dict[str, Any] = {}
    if issubclass(action.form, GroupForm):
        options["groups"] = manageable_groups(user)
    return action.form(request.POST if request.method == "POST" else None, **options)


def _planned(action: Action, target: Target, form: Form) -> PublicationPlan | None:
    if action.plan is None:
        return None
    try:
        return action.plan(target, form)
    except ProductError as error:
        add_refusal(form, error)
        return None


def _waits(target: Target, form: Form) -> bool:
    is_ready = target.revision is not None and target.revision.status == "ready"
    is_copied = target.interval is not None  # restoring makes a new revision of it
    return form.cleaned_data.get("starts_at") is None and (is_copied or not is_ready)


def _done(request: HttpRequest, action: Action, target: Target, form: Form) -> bool:
    try:
        action.effect(target, form, account_of(request))
    except (ProductError, ValidationError) as error:
        add_refusal(form, error)
        return False
    messages.success(request, action.done)
    return True


def _after(document: Document) -> HttpResponseRedirect:
    if Document.objects.filter(pk=document.pk).exists():
        return _to_document(document)
    return HttpResponseRedirect(reverse("admin:documents_document_changelist"))


def _to_document(document: Document) -> HttpResponseRedirect:
    return HttpResponseRedirect(
        reverse("admin:documents_document_change", args=[document.public_id])
    )


def _render(
    request: HttpRequest,
    action: Action,
    target: Target,
    *,
    form: Form,
    planned: PublicationPlan | None,
) -> HttpResponse:
    number = None if target.revision is None else target.revision.number
    context = page_context(
        request,
        action.label if number is None else f"{action.label} revision {number}",
        action=action,
        document=target.document,
        name=listing.shown_name(target.document),
        form=form,
        plan=describe_plan(planned, waits=_waits(target, form))
        if planned and not form.errors
        else [],
        shown=plan_key(planned, form) if planned and not form.errors else "",
        submit="Show what would change" if action.plan and not planned else action.label,
    )
    status = 400 if form.errors else 200
    return render(request, "admin/documents/action.html", context, status=status)
