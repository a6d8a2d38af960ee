"""Explain access: may this reader read this document at this moment, and by which rule."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from documents.admin import listing
from documents.admin.requests import account_of, moment_of, page_context, show_moment
from documents.forms import AccessForm
from documents.models import Document
from documents.visibility import explain_access, manageable_groups, readers_of

SHOWN_READERS = 50


def access_page(request: HttpRequest) -> HttpResponse:
    """Answer for one reader, one document and one moment; list who else may read it then."""
    user = account_of(request)
    if not (user.has_perm("documents.view_document") or manageable_groups(user).exists()):
        raise PermissionDenied
    form = AccessForm(request.GET or None)
    context = page_context(request, "Explain access", form=form)
    if form.is_bound and form.is_valid():
        context |= _answer(request, form)
    status = 400 if form.errors else 200
    return render(request, "admin/documents/access.html", context, status=status)


def _answer(request: HttpRequest, form: AccessForm) -> dict[str, object]:
    at = form.cleaned_data["at"] or moment_of(request)
    try:
        document = listing.get_listed(
            account_of(request), form.cleaned_data["document"], at=moment_of(request)
        )
    except Http404:
        form.add_error("document", "There is no such document.")
        return {}
    name = form.cleaned_data["reader"]
    reader = User.objects.filter(username=name).first() if name else AnonymousUser()
    if reader is None:
        form.add_error("reader", "There is no such account.")
        return {}
    return {
        "explanation": explain_access(reader, document, at=at),
        "reader_name": name or "Somebody who is not signed in",
        "name": listing.shown_name(document),
        "document": document,
        "moment": show_moment(at),
        **_readers(document, at),
    }


def _readers(document: Document, at: datetime) -> dict[str, object]:
    readers = readers_of(document, at=at)
    names = readers.accounts.order_by("username").values_list("username", flat=True)
    return {
        "unsigned": readers.unsigned,
        "reader_count": readers.accounts.count(),
        "reader_names": list(names[:SHOWN_READERS]),
    }
