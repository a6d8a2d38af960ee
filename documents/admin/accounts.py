"""Accounts and groups of accounts: memberships go through the service that records them."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.http import HttpRequest

from documents import grants
from documents.admin.requests import account_of

admin.site.unregister(User)


@admin.register(User)
class AccountAdmin(UserAdmin[User]):
    """Django's page for accounts, without long choices, and with an entry for every membership."""

    autocomplete_fields = ("groups",)
    filter_horizontal = ("user_permissions",)
    show_facets = admin.ShowFacets.NEVER
    list_filter = ("is_active", "is_staff", "is_superuser")
    list_per_page = 50

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
