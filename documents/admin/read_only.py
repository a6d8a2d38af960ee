"""Lists whose rows only services make and change."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import Http404, HttpRequest

from documents.admin.listing import NamedChangeList
from documents.admin.requests import account_of


class ReadOnlyAdmin(admin.ModelAdmin[Any]):
    """A list that nobody changes here."""

    actions = None
    empty_value_display = ""
    list_display_links = None
    list_per_page = 50
    list_max_show_all = 200
    show_facets = admin.ShowFacets.NEVER
    show_full_result_count = False
    sortable_by = ()

    lookups = frozenset[str]()

    def get_changelist(self, request: HttpRequest, **_: Any) -> type[NamedChangeList]:
        """Head the list with its name."""
        return NamedChangeList

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Filter by what a list names and by nothing else: any other column could be guessed at."""
        return lookup in self.lookups

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Show the list to every account of the staff; its rows are decided one by one."""
        return account_of(request).is_active and account_of(request).is_staff

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Let the staff in."""
        return self.has_module_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Only services add rows."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Only services change rows."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nothing here is deleted."""
        return False

    def change_view(self, request: HttpRequest, object_id: str, *_: Any, **__: Any) -> Any:
        """Refuse a page for one row: a form would show columns that the list holds back.

        Raises: Http404.
        """
        raise Http404

    def history_view(self, request: HttpRequest, object_id: str, *_: Any, **__: Any) -> Any:
        """Refuse a history of one row.

        Raises: Http404.
        """
        raise Http404
