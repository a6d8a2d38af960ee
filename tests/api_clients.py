"""Programs and browsers of the cast, as the API sees them."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.auth.models import User
from rest_framework.test import APIClient

from documents.tokens import create_token

ALL_SCOPES = ("read", "ask", "write")


def sign_in(user: User, *, scopes: Sequence[str] = ALL_SCOPES) -> APIClient:
    """Return a program with a token of the account."""
    _, secret = create_token(user=user, name="test", scopes=scopes, expires_at=None, acted_by=user)
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


def browse_as(user: User) -> APIClient:
    """Return a browser with a live session, whose CSRF token is checked as in the real one."""
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(user)
    return client
