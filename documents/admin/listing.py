"""The list of documents: its columns in one statement, its filters, and a search that hides."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.text import capfirst

from documents.admin.requests import moment_of
from documents.models import Document, Revision
from documents.querysets import DocumentQuerySet, RevisionQuerySet
from documents.services import UNFINISHED
from documents.visibility import can_manage, nameable_documents


class NamedChangeList(ChangeList):
    """A list under its own name; Django's heading speaks of selecting."""

    def __init__(self, *args: Any, **options: Any) -> None:
        """Put the name of the model's rows above the list."""
        super().__init__(*args, **options)
        self.title = str(capfirst(self.opts.verbose_name_plural))


class DocumentChangeList(NamedChangeList):
    """Addresses documents by their public id, as all pages do."""

    def url_for_result(self, result: Any) -> str:
        """Return the address of a document's page."""
        return reverse("admin:documents_document_change", args=[result.public_id])


def listed_documents(user: User, *, at: datetime) -> DocumentQuerySet:
    """Return what the account finds in the administration.

    Whoever may view the model finds every document, though not by its title; others find those
    that they may name.
    """
    if user.has_perm("documents.view_document"):
        documents = Document.objects.filter()
    else:
        documents = nameable_documents(user, at=at)
    return with_standing(documents, user, at=at).order_by("-id")


def shown_name(document: Document) -> str:
    """Return the title where the list's account may see it, else the public id."""
    named = bool(document.is_named)  # type: ignore[attr-defined]  # annotated by with_standing
    return document.title if named else str(document.public_id)


def get_listed(user: User, public_id: UUID | str, *, at: datetime) -> Document:
    """Return a document that the account finds in the administration.

    Raises: Http404, whether it is absent or not for this account.
    """
    try:
        wanted = UUID(str(public_id))
    except ValueError as error:
        raise Http404 from error
    document: Document | None = listed_documents(user, at=at).filter(public_id=wanted).first()
    if document is None:
        raise Http404
    return document


def get_managed(user: User, public_id: UUID | str, *, at: datetime) -> Document:
    """Return a document that the account may manage.

    Raises: Http404 where it finds no such document; PermissionDenied where it only looks at it.
    """
    document = get_listed(user, public_id, at=at)
    if not can_manage(user, document.visibility_group):
        raise PermissionDenied
    return document


def with_standing(documents: DocumentQuerySet, user: User, *, at: datetime) -> DocumentQuerySet:
    """Add to each row whether it may be named, and where its revisions stand.

    Everything comes with the list's own statement, whatever the size of the page.
    """
    revisions = Revision.objects.filter(document=OuterRef("pk"))
    newest = revisions.order_by("-number")
    current = revisions.in_force(at)
    coming = revisions.ever_in_force().filter(effective__startswith__gt=at)
    return documents.annotate(
        is_named=Exists(nameable_documents(user, at=at).filter(pk=OuterRef("pk"))),
        newest_number=Subquery(newest.values("number")[:1]),
        newest_status=Subquery(newest.values("status")[:1]),
        newest_failure=Subquery(newest.values("failure_code")[:1]),
        current_number=Subquery(current.values("number")[:1]),
        current_effective=Subquery(current.values("effective")[:1]),
        coming_effective=Subquery(coming.order_by("effective").values("effective")[:1]),
    ).select_related("visibility_group")


def search_documents(
    documents: QuerySet[Document], words: str, user: User, *, at: datetime
) -> QuerySet[Document]:
    """Keep documents found by title or slug where they may be named, by id or group everywhere.

    A hidden title must not be found by guessing at it.
    """
    named = nameable_documents(user, at=at).filter(
        Q(title__icontains=words) | Q(slug__icontains=words)
    )
    found = Q(pk__in=named.values("pk")) | Q(visibility_group__slug=words)
    with contextlib.suppress(ValueError):
        found |= Q(public_id=UUID(words))
    return documents.filter(found)


class StandingFilter(admin.SimpleListFilter):
    """Documents by what is in force."""

    title = "standing"
    parameter_name = "standing"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Iterable[tuple[str, str]]:
        """Return the choices."""
        return [
            ("in_force", "In force now"),
            ("scheduled", "Something scheduled"),
            ("nothing", "Nothing in force now"),
            ("deleted", "Deleted"),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Document]) -> QuerySet[Document]:
        """Keep the chosen ones."""
        at = moment_of(request)
        current = _exists(Revision.objects.in_force(at))
        coming = _exists(Revision.objects.ever_in_force().filter(effective__startswith__gt=at))
        match self.value():
            case "in_force":
                return queryset.filter(current)
            case "scheduled":
                return queryset.filter(coming)
            case "nothing":
                return queryset.filter(~current, deleted_at=None)
            case "deleted":
                return queryset.exclude(deleted_at=None)
            case _:
                return queryset


class ReadingFilter(admin.SimpleListFilter):
    """Documents by how far the reading of a file has come."""

    title = "reading of files"
    parameter_name = "reading"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Iterable[tuple[str, str]]:
        """Return the choices."""
        return [("working", "Being read"), ("failed", "Newest file failed")]

    def queryset(self, request: HttpRequest, queryset: Any) -> QuerySet[Document]:
        """Keep the chosen ones, by what the list's statement has added to each row."""
        documents: QuerySet[Document] = queryset
        match self.value():
            case "working":
                return with_newest(queryset, *UNFINISHED)
            case "failed":
                return with_newest(queryset, "failed", "quarantined")
            case _:
                return documents


def with_newest(documents: Any, *statuses: str) -> QuerySet[Document]:
    """Keep documents whose newest revision has one of the statuses."""
    kept: QuerySet[Document] = documents.filter(newest_status__in=statuses)
    return kept


def _exists(revisions: RevisionQuerySet) -> Exists:
    return Exists(revisions.filter(document=OuterRef("pk")))
