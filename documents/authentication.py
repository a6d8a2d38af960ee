"""Signs API requests in by access token, or by the browser's own session."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from documents.models import AccessToken
from documents.tokens import find_token

SCHEME = b"bearer"


class AccessTokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer <token>`; request.auth is the AccessToken."""

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
