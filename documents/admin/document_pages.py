"""A document's pages: its revisions and their states, its fields, its uploads, its texts."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.urls import reverse

from documents import publishing, services
from documents.admin import listing, rows
from documents.admin.requests import account_of, add_refusal, moment_of, page_context, show_moment
from documents.errors import ProductError
from documents.forms import DocumentForm, NewDocumentForm, UploadForm
from documents.models import Document
from documents.publishing import Publication
from documents.visibility import can_manage, manageable_groups, nameable_revisions

SUGGESTIONS = 20


def document_page(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show a document with its revisions, and what this account may do with them."""
    user, at = account_of(request), moment_of(request)
    document = listing.get_listed(user, public_id, at=at)
    manages = can_manage(user, document.visibility_group)
    context = page_context(
        request,
        listing.shown_name(document),
        document=document,
        name=listing.shown_name(document),
        named=document.is_named,  # type: ignore[attr-defined]  # annotated by the list
        manages=manages,
        created=show_moment(document.created_at),
        deleted=show_moment(document.deleted_at),
        revisions=rows.list_revision_rows(document, user, at=at, manages=manages),
        buttons=rows.list_document_buttons(document, at=at) if manages else [],
    )
    return render(request, "admin/documents/document.html", context)


def new_page(request: HttpRequest) -> HttpResponse:
    """Create a document with its first file, in one transaction."""
    user = account_of(request)
    groups = manageable_groups(user)
    if not groups.exists():
        raise PermissionDenied
    form = NewDocumentForm(request.POST or None, request.FILES or None, groups=groups)
    if request.method == "POST" and form.is_valid():
        try:
            with transaction.atomic():
                document = services.create_document(
                    form.document_fields(), group=form.cleaned_data["group"], acted_by=user
                )
                _take_in(document, form, user)
        except (ProductError, ValidationError) as error:
            add_refusal(form, error)
        else:
            messages.success(request, "The document is there; its file is being read.")
            return _to_document(document)
    return _form_page(request, form, "New document", submit="Upload")


def upload_page(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Take in a file as the document's next revision."""
    user = account_of(request)
    document = listing.get_managed(user, public_id, at=moment_of(request))
    if document.deleted_at is not None:
        messages.warning(request, "This document is deleted: bring it back first.")
        return _to_document(document)
    form = UploadForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            with transaction.atomic():
                _take_in(document, form, user)
        except ProductError as error:
            add_refusal(form, error)
        else:
            messages.success(request, "The file is stored and being read.")
            return _to_document(document)
    return _form_page(request, form, "Upload a revision", document=document, submit="Upload")


def edit_page(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """Change what people say of a document."""
    user = account_of(request)
    document = listing.get_managed(user, public_id, at=moment_of(request))
    initial = {
        "title": document.title,
        "tags": ", ".join(document.tags),
        "language": document.language,
        "source_url": document.source_url,
    }
    form = DocumentForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            services.change_fields(document, form.document_fields(), acted_by=user)
        except (ProductError, ValidationError) as error:
            add_refusal(form, error)
        else:
            messages.success(request, "The document is changed.")
            return _to_document(document)
    return _form_page(request, form, "Change the document", document=document, submit="Save")


def text_page(request: HttpRequest, public_id: UUID, number: int) -> HttpResponse:
    """Show the text of a revision, drafts to those who manage it."""
    user, at = account_of(request), moment_of(request)
    document = listing.get_listed(user, public_id, at=at)
    revision = (
        nameable_revisions(user, at=at)
        .filter(document=document, number=number, status="ready")
        .first()
    )
    if revision is None:
        raise Http404
    context = page_context(
        request,
        f"{listing.shown_name(document)}, revision {number}",
        document=document,
        name=listing.shown_name(document),
        revision=revision,
    )
    return render(request, "admin/documents/text.html", context)


def history_page(request: HttpRequest, public_id: str) -> HttpResponse:
    """Lead to the document's entries in the audit trail."""
    document = listing.get_listed(account_of(request), public_id, at=moment_of(request))
    trail = reverse("admin:documents_auditentry_changelist")
    return HttpResponseRedirect(f"{trail}?document_public_id={document.public_id}")


def suggest(request: HttpRequest, kind: str) -> JsonResponse:
    """Offer names that begin as typed: never of documents."""
    user, begins = account_of(request), request.GET.get("q", "").strip()[:100]
    names: QuerySet[User, str] | QuerySet[Group, str]
    if kind == "visibility-groups":
        groups = manageable_groups(user).filter(slug__istartswith=begins)
        found = list(groups.order_by("slug").values_list("slug", flat=True)[:SUGGESTIONS])
    elif not _may_look_accounts_up(user):
        raise PermissionDenied
    elif kind == "accounts":
        names = User.objects.filter(username__istartswith=begins).values_list("username", flat=True)
        found = list(names.order_by("username")[:SUGGESTIONS])
    elif kind == "account-groups":
        names = Group.objects.filter(name__istartswith=begins).values_list("name", flat=True)
        found = list(names.order_by("name")[:SUGGESTIONS])
    else:
        raise Http404
    return JsonResponse({"names": found})


def _may_look_accounts_up(user: User) -> bool:
    rights = ("auth.view_user", "documents.change_visibilitygroup", "documents.view_document")
    return any(user.has_perm(right) for right in rights)


def _take_in(document: Document, form: UploadForm, user: User) -> None:
    revision = services.add_revision(document, form.upload(), acted_by=user)
    if form.cleaned_data["publish"]:
        publishing.publish_revision(revision, Publication(), acted_by=user)


def _to_document(document: Document) -> HttpResponseRedirect:
    return HttpResponseRedirect(
        reverse("admin:documents_document_change", args=[document.public_id])
    )


def _form_page(
    request: HttpRequest,
    form: Form,
    title: str,
    *,
    submit: str,
    document: Document | None = None,
) -> HttpResponse:
    context = page_context(
        request,
        title,
        form=form,
        submit=submit,
        document=document,
        name=listing.shown_name(document) if document else "",
    )
    status = 400 if form.errors else 200
    return render(request, "admin/documents/form.html", context, status=status)
