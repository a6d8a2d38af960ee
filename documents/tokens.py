"""Access tokens of programs: made, found by their hash, revoked. The secret is never stored."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from documents import audit
from documents.errors import InvalidInput, NotPermitted
from documents.models import AccessToken

PREFIX = "rgs_"
SCOPES = ("read", "ask", "write")
LAST_USED_GRAIN = timedelta(minutes=1)


@transaction.atomic
def create_token(
    *, user: User, name: str, scopes: Sequence[str], expires_at: datetime | None, acted_by: User
) -> tuple[AccessToken, str]:
    """Create a token and return it with its secret, which is shown this once only.

    A token acts as its account. So only the account itself makes one, or whoever may change
    accounts and so could set its password; the trail says who did.

    Raises: NotPermitted; InvalidInput (`unknown_scope`, `expiry_passed`).
    """
    _check_may_handle(user, acted_by)
    unknown = sorted(set(scopes) - set(SCOPES))
    if unknown or not scopes:
        raise InvalidInput(
            f"Scopes are {', '.join(SCOPES)}; choose at least one.",
            code="unknown_scope",
            details={"field": "scopes"},
        )
    now = timezone.now()
    if expires_at is not None and expires_at <= now:
        raise InvalidInput(
            "The token would have expired already.",
            code="expiry_passed",
            details={"field": "expires_at"},
        )
    secret = PREFIX + secrets.token_urlsafe(32)
    token = AccessToken.objects.create(
        user=user,
        name=name,
        digest=_digest(secret),
        scopes=sorted(set(scopes)),
        created_at=now,
        expires_at=expires_at,
    )
    audit.record("token_created", acted_by=acted_by, details={"token": token.pk, "for": user.pk})
    return token, secret


def find_token(secret: str, *, at: datetime) -> AccessToken | None:
    """Return the live token of this secret, whose account is active, or None."""
    token = (
        AccessToken.objects.select_related("user")
        .filter(digest=_digest(secret), revoked_at=None, user__is_active=True)
        .first()
    )
    if token is None or (token.expires_at is not None and token.expires_at <= at):
        return None
    if token.last_used_at is None or at - token.last_used_at > LAST_USED_GRAIN:
        AccessToken.objects.filter(pk=token.pk).update(last_used_at=at)
    return token


@transaction.atomic
def revoke_token(token: AccessToken, *, acted_by: User) -> None:
    """Make the token useless from the next request on; a second time changes nothing.

    Raises: NotPermitted.
    """
    _check_may_handle(token.user, acted_by)
    live = AccessToken.objects.filter(pk=token.pk, revoked_at=None)
    if live.update(revoked_at=timezone.now()):
        audit.record(
            "token_revoked", acted_by=acted_by, details={"token": token.pk, "for": token.user_id}
        )


def _check_may_handle(user: User, acted_by: User) -> None:
    if acted_by.pk != user.pk and not acted_by.has_perm("auth.change_user"):
        raise NotPermitted("You may not make or revoke another account's tokens.")


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
