"""The list of documents and the addresses of their pages, within Django's administration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path

from documents.admin import access, actions_page, document_pages, listing
from documents.admin.requests import account_of, moment_of, show_moment
from documents.intervals import interval_of
from documents.models import Document, Revision
from documents.querysets import DocumentQuerySet
from documents.visibility import can_manage, manageable_groups


@admin.register(Document)
class DocumentAdmin(admin.ModelAdmin[Document]):
    """Documents, by title to those who may read them and by public id to everyone else."""

    actions = None
    list_display = ("name", "group", "in_force", "next_start", "newest")
    empty_value_display = ""
    list_filter = (listing.StandingFilter, listing.ReadingFilter)
    list_per_page = 50
    list_max_show_all = 200
    ordering = ("-id",)
    search_fields = ("public_id",)
    search_help_text = "Title or slug of a document that you may read; any public id or group slug."
    show_facets = admin.ShowFacets.NEVER
    show_full_result_count = False
    sortable_by = ()  # an order by hidden titles would tell about them

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Refuse to filter by columns: hidden titles could be guessed at letter by letter."""
        return lookup in {"standing", "reading"}

    def get_changelist(self, request: HttpRequest, **_: Any) -> type[listing.DocumentChangeList]:
        """Address documents by their public id."""
        return listing.DocumentChangeList

    def get_queryset(self, request: HttpRequest) -> DocumentQuerySet:
        """Return all documents for whoever may view the model, else those that may be named."""
        return listing.listed_documents(account_of(request), at=moment_of(request))

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Document], search_term: str
    ) -> tuple[QuerySet[Document], bool]:
        """Search titles only where they may be seen."""
        words = search_term.strip()
        if not words:
            return queryset, False
        user, at = account_of(request), moment_of(request)
        return listing.search_documents(queryset, words, user, at=at), False

    def get_object(
        self,
        request: HttpRequest,
        object_id: str,
        from_field: str | None = None,
    ) -> Document | None:
        """Find a document by its public id among those that the account may see here."""
        try:
            return self.get_queryset(request).filter(public_id=UUID(object_id)).first()
        except ValueError:
            return None

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Show the documents to every account of the staff."""
        return account_of(request).is_active and account_of(request).is_staff

    def has_view_permission(self, request: HttpRequest, obj: Document | None = None) -> bool:
        """Let the staff in; what they see is decided row by row."""
        return self.has_module_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Let those add who manage some group."""
        return manageable_groups(account_of(request)).exists()

    def has_change_permission(self, request: HttpRequest, obj: Document | None = None) -> bool:
        """Let those change a document who manage its group, and nobody else."""
        return obj is not None and can_manage(account_of(request), obj.visibility_group)

    def has_delete_permission(self, request: HttpRequest, obj: Document | None = None) -> bool:
        """Leave deletion to the service behind its own button."""
        return False

    @admin.display(description="Document")
    def name(self, document: Document) -> str:
        """Return the title or the public id."""
        return listing.shown_name(document)

    @admin.display(description="Group")
    def group(self, document: Document) -> str:
        """Return the slug of the visibility group."""
        return document.visibility_group.slug

    @admin.display(description="In force now")
    def in_force(self, document: Any) -> str:
        """Return the revision in force, since when, and until when where that is known."""
        if document.deleted_at is not None:
            return "deleted"
        interval = interval_of(document.current_effective)
        if interval is None:
            return "nothing"
        until = f" until {show_moment(interval.end)}" if interval.end else ""
        return f"revision {document.current_number} since {show_moment(interval.start)}{until}"

    @admin.display(description="Next from")
    def next_start(self, document: Any) -> str:
        """Return when the next scheduled revision starts."""
        interval = interval_of(document.coming_effective)
        return show_moment(interval.start) if interval else ""

    @admin.display(description="Newest file")
    def newest(self, document: Any) -> str:
        """Return number and state of the newest revision."""
        if document.newest_number is None:
            return "none"
        state = Revision.Status(document.newest_status).label
        failure = f" ({document.newest_failure})" if document.newest_failure else ""
        return f"{document.newest_number}: {state}{failure}"

    def add_view(
        self,
        request: HttpRequest,
        form_url: str = "",
        extra_context: Any = None,
    ) -> HttpResponse:
        """Create a document with its first file."""
        return document_pages.new_page(request)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: Any = None,
    ) -> HttpResponse:
        """Show the document with its revisions."""
        return document_pages.document_page(request, object_id)

    def history_view(
        self,
        request: HttpRequest,
        object_id: str,
        extra_context: Any = None,
    ) -> HttpResponse:
        """Show the audit trail of the document: it is the history."""
        return document_pages.history_page(request, object_id)

    def get_urls(self) -> list[URLPattern]:
        """Put the pages of documents before Django's own."""
        wrap, name = self.admin_site.admin_view, "documents_document"
        routes: list[tuple[str, Callable[..., HttpResponse], str]] = [
            ("access/", access.access_page, "access"),
            ("suggest/<slug:kind>/", document_pages.suggest, "suggest"),
            ("<uuid:public_id>/edit/", document_pages.edit_page, "edit"),
            ("<uuid:public_id>/upload/", document_pages.upload_page, "upload"),
            ("<uuid:public_id>/do/<slug:name>/", actions_page.action_page, "action"),
            ("<uuid:public_id>/<int:number>/", document_pages.text_page, "text"),
            (
                "<uuid:public_id>/<int:number>/do/<slug:name>/",
                actions_page.action_page,
                "revision_action",
            ),
        ]
        ours = [path(route, wrap(view), name=f"{name}_{end}") for route, view, end in routes]
        return [*ours, *super().get_urls()]
