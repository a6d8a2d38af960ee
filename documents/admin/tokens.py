"""Access tokens: listed by what they are for, made with a secret that is shown once, revoked."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.utils.html import format_html
from django.views.decorators.cache import never_cache

from documents.admin.read_only import ReadOnlyAdmin
from documents.admin.requests import (
    account_of,
    add_refusal,
    moment_of,
    page_context,
    show_moment,
)
from documents.errors import ProductError
from documents.forms import TokenForm
from documents.models import AccessToken
from documents.tokens import create_token, revoke_token


@admin.register(AccessToken)
class AccessTokenAdmin(ReadOnlyAdmin):
    """One's own tokens, and everybody's for whoever may change accounts."""

    list_display = ("name", "account", "allowed", "created", "expires", "last_used", "state")
    list_select_related = ("user",)
    search_fields = ("name", "user__username")

    def get_queryset(self, request: HttpRequest) -> QuerySet[AccessToken]:
        """Return the tokens that the account may revoke."""
        expired = ExpressionWrapper(
            Q(expires_at__isnull=False, expires_at__lte=moment_of(request)),
            output_field=BooleanField(),
        )
        tokens = super().get_queryset(request).annotate(is_expired=expired)
        owned: QuerySet[AccessToken] = tokens.filter(user__in=_accounts_of(account_of(request)))
        return owned

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Let everyone of the staff make tokens for themselves."""
        return self.has_module_permission(request)

    @admin.display(description="Account")
    def account(self, token: AccessToken) -> str:
        """Return the account that the token acts as."""
        return token.user.username

    @admin.display(description="Scopes")
    def allowed(self, token: AccessToken) -> str:
        """Return what the token may do."""
        return ", ".join(token.scopes)

    @admin.display(description="Made")
    def created(self, token: AccessToken) -> str:
        """Return when it was made."""
        return show_moment(token.created_at)

    @admin.display(description="Expires")
    def expires(self, token: AccessToken) -> str:
        """Return when it ends."""
        return show_moment(token.expires_at) or "never"

    @admin.display(description="Last used")
    def last_used(self, token: AccessToken) -> str:
        """Return when it was used last, to the minute."""
        return show_moment(token.last_used_at) or "never"

    @admin.display(description="State")
    def state(self, token: Any) -> str:
        """Return whether it works, with the way to end it."""
        if token.revoked_at is not None:
            return f"revoked {show_moment(token.revoked_at)}"
        if token.is_expired:
            return "expired"
        url = reverse("admin:documents_accesstoken_revoke", args=[token.pk])
        return format_html('<a class="button grave" href="{}">Revoke</a>', url)

    def get_urls(self) -> list[URLPattern]:
        """Add the page that revokes."""
        view = self.admin_site.admin_view(self.revoke_page)
        ours = path("<int:pk>/revoke/", view, name="documents_accesstoken_revoke")
        return [ours, *super().get_urls()]

    @method_decorator(never_cache)
    def add_view(
        self,
        request: HttpRequest,
        form_url: str = "",
        extra_context: Any = None,
    ) -> HttpResponse:
        """Make a token and show its secret in this one response, which nothing keeps."""
        user = account_of(request)
        form = TokenForm(request.POST or None, accounts=_accounts_of(user))
        context = page_context(request, "New access token", form=form, submit="Make the token")
        if request.method == "POST" and form.is_valid():
            values = form.cleaned_data
            try:
                token, secret = create_token(
                    user=values["account"] or user,
                    name=values["name"],
                    scopes=values["scopes"],
                    expires_at=values["expires_at"],
                    acted_by=user,
                )
            except ProductError as error:
                add_refusal(form, error)
            else:
                context |= {"token": token, "secret": secret, "title": "Your new token"}
                return render(request, "admin/documents/token.html", context)
        status = 400 if form.errors else 200
        return render(request, "admin/documents/form.html", context, status=status)

    def revoke_page(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Ask, and make the token useless."""
        token = self.get_queryset(request).filter(pk=pk).first()
        if token is None:
            raise Http404
        if request.method == "POST":
            revoke_token(token, acted_by=account_of(request))
            messages.success(request, "The token is useless from now on.")
            return HttpResponseRedirect(reverse("admin:documents_accesstoken_changelist"))
        context = page_context(request, f"Revoke {token.name}", token=token)
        return render(request, "admin/documents/revoke.html", context)


def _accounts_of(user: User) -> QuerySet[User]:
    if user.has_perm("auth.change_user"):
        return User.objects.all()
    return User.objects.filter(pk=user.pk)
