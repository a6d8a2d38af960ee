"""Accounts and groups of accounts: what changes who reads goes through recording services."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import QuerySet
from django.http import HttpRequest

from documents import accounts, grants
from documents.admin.requests import account_of

admin.site.unregister(User)
admin.site.unregister(Group)


@admin.register(User)
class AccountAdmin(UserAdmin[User]):
    """Django's page for accounts, without long choices, and with entries for what it changes."""

    autocomplete_fields = ("groups",)
    filter_horizontal = ("user_permissions",)
    show_facets = admin.ShowFacets.NEVER
    list_filter = ("is_active", "is_staff", "is_superuser")
    list_per_page = 50

    def save_model(
        self,
        request: HttpRequest,
        obj: User,
        form: Any,
        change: Any,
    ) -> None:
        """Save the account; a new one has nothing yet that could be switched off."""
        if change:
            accounts.save_account(obj, acted_by=account_of(request))
        else:
            super().save_model(request, obj, form, change)

    def delete_model(self, request: HttpRequest, obj: User) -> None:
        """Delete the account by its service."""
        accounts.delete_accounts([obj], acted_by=account_of(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """Delete the chosen accounts by their service, all or none."""
        accounts.delete_accounts(queryset, acted_by=account_of(request))

    def save_related(
        self,
        request: HttpRequest,
        form: Any,
        formsets: Any,
        change: Any,
    ) -> None:
        """Save everything but the memberships as Django does, and those by their service."""
        wanted = form.cleaned_data.pop("groups", None)
        super().save_related(request, form, formsets, change)
        if wanted is not None:
            grants.change_memberships(form.instance, wanted, acted_by=account_of(request))


@admin.register(Group)
class AccountGroupAdmin(GroupAdmin):
    """Django's page for groups of accounts; deleting one says which grants went with it."""

    show_facets = admin.ShowFacets.NEVER
    list_per_page = 50

    def delete_model(self, request: HttpRequest, obj: Group) -> None:
        """Delete the group by its service."""
        accounts.delete_account_groups([obj], acted_by=account_of(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Group]) -> None:
        """Delete the chosen groups by their service, all or none."""
        accounts.delete_account_groups(queryset, acted_by=account_of(request))
