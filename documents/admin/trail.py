"""The audit trail and the owed work: read-only, by ids; words only of what may be named."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from documents.admin.read_only import ReadOnlyAdmin
from documents.admin.requests import account_of, moment_of, show_moment
from documents.models import AuditEntry, Document, Work
from documents.visibility import manageable_documents, manageable_groups, nameable_documents


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    """Who did what, when. The reason is free text, so it shows only where the document may."""

    list_display = ("when", "who", "action", "document", "group", "why", "facts")
    list_filter = ("action",)
    lookups = frozenset({"action", "action__exact", "document_public_id"})
    list_select_related = ("actor",)
    search_fields = ("document_public_id",)
    search_help_text = "The public id of a document, the slug of a group, or an account."

    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditEntry]:
        """Return all for whoever may view the model, else what concerns documents they manage."""
        user, at = account_of(request), moment_of(request)
        entries = AuditEntry.objects.all()
        if not user.has_perm("documents.view_auditentry"):
            entries = entries.filter(_theirs(user))
        return _with_names(entries, user, at=at)

    def get_search_results(
        self,
        request: HttpRequest,
        queryset: QuerySet[AuditEntry],
        search_term: str,
    ) -> tuple[QuerySet[AuditEntry], bool]:
        """Search ids and names of accounts, never reasons."""
        words = search_term.strip()
        if not words:
            return queryset, False
        found = Q(visibility_group_slug=words) | Q(actor__username=words)
        if len(words) in {32, 36}:
            found |= Q(document_public_id__in=_as_ids(words))
        return queryset.filter(found), False

    @admin.display(description="When")
    def when(self, entry: AuditEntry) -> str:
        """Return the moment."""
        return show_moment(entry.at)

    @admin.display(description="Who")
    def who(self, entry: Any) -> str:
        """Return the account or the command."""
        if entry.command:
            return f"command {entry.command}"
        return entry.actor_name or f"account {entry.actor_id}"

    @admin.display(description="Document")
    def document(self, entry: Any) -> str:
        """Return the title or the public id, leading to the page while there is one."""
        if entry.document_public_id is None:
            return ""
        name = entry.title if entry.title is not None else str(entry.document_public_id)
        if entry.revision_number is not None:
            name = f"{name}, revision {entry.revision_number}"
        if not entry.exists:
            return name
        url = reverse("admin:documents_document_change", args=[entry.document_public_id])
        return format_html('<a href="{}">{}</a>', url, name)

    @admin.display(description="Group")
    def group(self, entry: AuditEntry) -> str:
        """Return the slug of the visibility group."""
        return entry.visibility_group_slug

    @admin.display(description="Reason")
    def why(self, entry: Any) -> str:
        """Return the reason where the document, or its group once it is gone, is theirs."""
        return entry.reason if entry.reason_shows else ""

    @admin.display(description="Facts")
    def facts(self, entry: AuditEntry) -> str:
        """Return ids and numbers."""
        return ", ".join(f"{key} {_word(value)}" for key, value in entry.details.items())


def _theirs(user: User) -> Q:
    """What concerns documents that the account manages, or did until they were purged."""
    managed = manageable_documents(user).order_by().values("public_id")
    gone = ~Exists(Document.objects.filter(public_id=OuterRef("document_public_id")))
    groups = manageable_groups(user).order_by().values("slug")
    return Q(document_public_id__in=managed) | (
        Q(gone) & Q(document_public_id__isnull=False, visibility_group_slug__in=groups)
    )


def _with_names(entries: QuerySet[Any], user: User, *, at: datetime) -> QuerySet[Any]:
    same = Document.objects.filter(public_id=OuterRef("document_public_id"))
    named = nameable_documents(user, at=at).filter(public_id=OuterRef("document_public_id"))
    managed = manageable_groups(user).filter(slug=OuterRef("visibility_group_slug"))
    actor = User.objects.filter(pk=OuterRef("actor_id"))
    shown: QuerySet[Any] = entries.annotate(
        exists=Exists(same),
        title=Subquery(named.order_by().values("title")[:1]),
        actor_name=Subquery(actor.values("username")[:1]),
        reason_shows=Exists(named) | (~Exists(same) & Exists(managed)),
    )
    return shown.order_by("-id")


def _as_ids(words: str) -> list[str]:
    bare = words.replace("-", "").lower()
    return [bare] if len(bare) == 32 and set(bare) <= set("0123456789abcdef") else []  # noqa: PLR2004 - digits of a UUID


def _word(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


@admin.register(Work)
class WorkAdmin(ReadOnlyAdmin):
    """Steps owed to revisions; a failed one is tried again from its document's page."""

    list_display = (
        "document",
        "revision_number",
        "step",
        "state",
        "attempts",
        "deaths",
        "why",
        "due",
    )
    list_filter = ("state", "step")
    lookups = frozenset({"state__exact", "step", "step__exact"})
    search_fields = ("revision__document__public_id",)
    search_help_text = "The public id of a document."

    def get_queryset(self, request: HttpRequest) -> QuerySet[Work]:
        """Return all for whoever may view the model, else the work on documents they manage."""
        user, at = account_of(request), moment_of(request)
        steps = Work.objects.all()
        if not user.has_perm("documents.view_work"):
            steps = steps.filter(revision__document__in=manageable_documents(user).order_by())
        named = nameable_documents(user, at=at).filter(pk=OuterRef("revision__document"))
        return steps.annotate(
            public_id=F("revision__document__public_id"),
            number=F("revision__number"),
            failure_code=F("revision__failure_code"),
            title=Subquery(named.order_by().values("title")[:1]),
            manages=Exists(manageable_documents(user).filter(pk=OuterRef("revision__document"))),
        ).order_by("-id")

    def get_search_results(
        self,
        request: HttpRequest,
        queryset: QuerySet[Work],
        search_term: str,
    ) -> tuple[QuerySet[Work], bool]:
        """Find the work on one document by its public id."""
        words = search_term.strip()
        if not words:
            return queryset, False
        return queryset.filter(revision__document__public_id__in=_as_ids(words)), False

    @admin.display(description="Document")
    def document(self, step: Any) -> str:
        """Return the title or the public id, leading to the page."""
        url = reverse("admin:documents_document_change", args=[step.public_id])
        return format_html('<a href="{}">{}</a>', url, step.title or step.public_id)

    @admin.display(description="Revision")
    def revision_number(self, step: Any) -> int:
        """Return the number of the revision."""
        return int(step.number)

    @admin.display(description="Failure, or why it waits")
    def why(self, step: Any) -> str:
        """Return what a step waits for, or the code of its failure and the way to try again."""
        if step.state not in {"failed", "quarantined"}:
            return str(step.failure)
        if not step.manages:
            return str(step.failure_code)
        url = reverse(
            "admin:documents_document_revision_action", args=[step.public_id, step.number, "retry"]
        )
        return format_html('{} <a class="button" href="{}">Try again</a>', step.failure_code, url)

    @admin.display(description="Lease until, or due")
    def due(self, step: Work) -> str:
        """Return until when it is being worked on, or from when it may be."""
        return show_moment(step.lease_until or step.not_before)
