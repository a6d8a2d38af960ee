"""Signs API requests in, by access token or by the browser's session, and checks token scopes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NoReturn

from django.contrib.auth.models import User
from django.utils import timezone
from rest_framework.authentication import (
    BaseAuthentication,
    SessionAuthentication,
    get_authorization_header,
)
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from documents.models import AccessToken
from documents.tokens import find_token

if TYPE_CHECKING:
    from rest_framework.views import APIView  # DRF's views import this module

SCHEME = b"bearer"


class AccessTokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer <token>`; request.auth is the AccessToken.

    Invariant: a token that was sent decides alone; a bad one never falls back to a session, and a
    good one makes any cookie beside it irrelevant.
    """

    def authenticate(self, request: Request) -> tuple[User, AccessToken] | None:
        """Return account and token, or None where no token was sent.

        Raises: AuthenticationFailed for a token that is unknown, expired or revoked.
        """
        words = get_authorization_header(request).split()
        if not words or words[0].lower() != SCHEME:
            return None
        if len(words) != 2:  # noqa: PLR2004 - the scheme and the token
            raise AuthenticationFailed("Send one token: Authorization: Bearer <token>.")
        token = find_token(words[1].decode("latin-1"), at=timezone.now())
        if token is None:
            raise AuthenticationFailed("The token is unknown, expired or revoked.")
        return token.user, token

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002 - DRF's signature
        """Name the scheme in 401 answers."""
        return "Bearer"


class BrowserSession(SessionAuthentication):
    """The browser's own session; every unsafe request must carry its CSRF token."""

    def enforce_csrf(self, request: Request) -> None:
        """Refuse a request that another site could have made the browser send.

        Raises: PermissionDenied (`csrf_failed`).
        """
        try:
            super().enforce_csrf(request)
        except PermissionDenied as error:
            _refuse_csrf(error)


def _refuse_csrf(error: PermissionDenied) -> NoReturn:
    raise PermissionDenied(
        "The browser's session needs its CSRF token in the X-CSRFToken header, from this site's "
        "own address; programs send an access token instead. Behind a proxy, "
        "RAGSITE_TRUSTED_ORIGINS names the address that browsers see.",
        code="csrf_failed",
    ) from error


class HasTokenScope(BasePermission):
    """The token's scopes include the one that the view names for the method.

    A view that names none is closed to tokens. A session has its account's full rights. A method
    that the view does not have is no matter of scopes: it is let through to be refused as such.
    """

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Compare what the token may do with what the view asks for.

        Raises: PermissionDenied (`scope_missing`).
        """
        token = request.auth
        if not isinstance(token, AccessToken) or request.method not in view.allowed_methods:
            return True
        needed = scope_needed(view, str(request.method))
        if needed in token.scopes:
            return True
        raise PermissionDenied(
            f"This token lacks the scope {needed!r}."
            if needed
            else "This address is not for tokens.",
            code="scope_missing",
        )


def scope_needed(view: APIView, method: str) -> str | None:
    """Return the scope that the view's method asks of a token; None where tokens are refused."""
    scopes: Mapping[str, str] = getattr(view, "required_scopes", {})
    return scopes.get("GET" if method == "HEAD" else method)
