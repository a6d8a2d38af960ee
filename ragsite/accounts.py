"""Signing in and out and changing a password, on Django's own views."""

from __future__ import annotations

import unicodedata
from typing import Any

from django.contrib import admin
from django.contrib.auth import views
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import path, reverse_lazy
from django.views.decorators.http import require_safe

from documents.conf import documents_config
from documents.errors import NotPermitted
from documents.page_requests import address_bucket, moment_of
from documents.rate_limits import bucket_of, check_rate, take_back


class SignIn(views.LoginView):
    """Sign in; whoever is signed in already goes on."""

    template_name = "accounts/sign_in.html"
    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Count the attempt, by where it comes from and by whose it is, before looking at it.

        Raises: TooManyRequests.
        """
        limit = documents_config().requests_per_minute("sign_in")
        for subject in _subjects(request):
            check_rate(subject, "sign_in", limit=limit, at=moment_of(request))
        return super().post(request, *args, **kwargs)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Count only what failed: a whole office signs in from one address."""
        for subject in _subjects(self.request):
            take_back(subject, "sign_in")
        return super().form_valid(form)


def _subjects(request: HttpRequest) -> tuple[str, str]:
    """Return where an attempt comes from and whose it is, as they are counted."""
    name = unicodedata.normalize("NFKC", request.POST.get("username", "")).casefold()
    return address_bucket(request), bucket_of("name", name)


class SignOut(views.LogoutView):
    """Sign out and say so."""

    template_name = "accounts/signed_out.html"


class PasswordChange(views.PasswordChangeView):
    """Change one's own password; other sessions of the account end."""

    template_name = "accounts/password_change.html"
    success_url = reverse_lazy("password_changed")


class PasswordChanged(views.PasswordChangeDoneView):
    """Say that the password is changed."""

    template_name = "accounts/password_changed.html"


@require_safe
def enter_admin(request: HttpRequest) -> HttpResponse:
    """Send whoever wants into the admin through the one door that counts attempts.

    Raises: NotPermitted for who is signed in as no staff; the door would send them back here.
    """
    if request.user.is_authenticated and not admin.site.has_permission(request):
        raise NotPermitted(
            f"You are signed in as {request.user.get_username()}, and the administration is for "
            "staff. Sign out, and sign in as one of them."
        )
    return redirect(f"{reverse_lazy('sign_in')}?{request.GET.urlencode()}")


urlpatterns = [
    path("sign-in/", SignIn.as_view(), name="sign_in"),
    path("sign-out/", SignOut.as_view(), name="sign_out"),
    path("password/", PasswordChange.as_view(), name="password_change"),
    path("password/changed/", PasswordChanged.as_view(), name="password_changed"),
    path("admin/login/", enter_admin),
]
