"""Visibility groups: their reach, and who may read or manage their documents."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import URLPattern, path, reverse

from documents import grants
from documents.admin.listing import NamedChangeList
from documents.admin.requests import account_of, add_refusal, page_context
from documents.errors import ProductError
from documents.forms import GrantForm
from documents.models import VisibilityGroup


@admin.register(VisibilityGroup)
class VisibilityGroupAdmin(admin.ModelAdmin[VisibilityGroup]):
    """Groups are for whoever has Django's permissions on them; that reads no document."""

    actions = None
    list_display = ("name", "slug", "reach")
    list_filter = ("reach",)
    list_per_page = 50
    list_max_show_all = 200
    search_fields = ("name", "slug")
    show_facets = admin.ShowFacets.NEVER
    show_full_result_count = False
    fields = ("name", "slug", "description", "reach")

    def get_readonly_fields(
        self,
        request: HttpRequest,
        obj: VisibilityGroup | None = None,
    ) -> tuple[str, ...]:
        """Keep the slug of an existing group: commands and manifests name it."""
        return ("slug",) if obj else ()

    def save_model(
        self,
        request: HttpRequest,
        obj: VisibilityGroup,
        form: forms.Form,
        change: Any,
    ) -> None:
        """Create or change the group through its service."""
        user = account_of(request)
        if change:
            values = {"name": obj.name, "reach": obj.reach, "description": obj.description}
            grants.change_group(obj, acted_by=user, **values)
            return
        made = grants.create_group(
            slug=obj.slug,
            name=obj.name,
            reach=obj.reach,
            description=obj.description,
            acted_by=user,
        )
        obj.pk = made.pk

    def has_delete_permission(
        self,
        request: HttpRequest,
        obj: VisibilityGroup | None = None,
    ) -> bool:
        """Keep groups: documents and the trail name them."""
        return False

    def response_add(
        self,
        request: HttpRequest,
        obj: VisibilityGroup,
        post_url_continue: str | None = None,
    ) -> HttpResponse:
        """Lead a new group to the page on which readers are given it."""
        messages.success(request, "The group is made. Say who may read its documents.")
        return _to_grants(obj)

    def get_changelist(self, request: HttpRequest, **_: Any) -> type[NamedChangeList]:
        """Head the list with its name."""
        return NamedChangeList

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        """Head the page with the group's name: a group's own words for itself are its id."""
        group = self.get_object(request, object_id) if object_id else None
        names = {"title": group.name, "subtitle": None} if group else {}
        return super().changeform_view(request, object_id, form_url, (extra_context or {}) | names)

    def get_urls(self) -> list[URLPattern]:
        """Add the page of grants."""
        view = self.admin_site.admin_view(self.grants_page)
        ours = path("<int:pk>/grants/", view, name="documents_visibilitygroup_grants")
        return [ours, *super().get_urls()]

    def grants_page(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show who may read and manage, give and take back."""
        group = VisibilityGroup.objects.filter(pk=pk).first()
        if group is None or not self.has_view_permission(request, group):
            raise Http404
        form = GrantForm(request.POST if "grant" in request.POST else None)
        if request.method == "POST":
            if not self.has_change_permission(request, group):
                raise PermissionDenied
            if "revoke" in request.POST:
                return _revoke(request, group)
            if form.is_valid() and _granted(request, group, form):
                return _to_grants(group)
        context = page_context(
            request,
            f"Who reads {group.name}",
            group=group,
            form=form,
            listed=grants.list_grants(group),
            may_change=self.has_change_permission(request, group),
        )
        return render(request, "admin/documents/grants.html", context)


def _granted(request: HttpRequest, group: VisibilityGroup, form: GrantForm) -> bool:
    values = form.cleaned_data
    grantee = values["account"] or values["account_group"]
    try:
        grants.grant(group, values["permission"], to=grantee, acted_by=account_of(request))
    except ProductError as error:
        add_refusal(form, error)
        return False
    messages.success(request, f"{grantee} has {values['permission']} from now on.")
    return True


def _revoke(request: HttpRequest, group: VisibilityGroup) -> HttpResponse:
    wanted = request.POST["revoke"]
    for given in grants.list_grants(group):
        if given.key == wanted:
            grants.revoke(group, given.permission, to=given.grantee, acted_by=account_of(request))
            messages.success(request, f"{given.name} has lost {given.permission}.")
    return _to_grants(group)


def _to_grants(group: VisibilityGroup) -> HttpResponseRedirect:
    return HttpResponseRedirect(reverse("admin:documents_visibilitygroup_grants", args=[group.pk]))
