"""Limits how many API requests an account makes a minute, by what they cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from documents.authentication import scope_needed
from documents.conf import documents_config
from documents.rate_limits import count_request

if TYPE_CHECKING:
    from rest_framework.views import APIView  # DRF's views import this module


class AccountThrottle(BaseThrottle):
    """One count per account and scope, shared by its tokens and its sessions.

    Tokens of one account share a count: making another token gives nobody more.
    """

    wait_seconds: float | None = None

    def allow_request(self, request: Request, view: APIView) -> bool:
        """Count the request against the limit of its scope."""
        kind = scope_needed(view, str(request.method)) or "read"
        allowance = count_request(
            f"account:{request.user.pk}",
            kind,
            limit=documents_config().requests_per_minute(kind),
            at=request.at,  # type: ignore[attr-defined]  # set by RequestMoment
        )
        self.wait_seconds = None if allowance.allowed else allowance.wait_seconds
        return allowance.allowed

    def wait(self) -> float | None:
        """Return the seconds until the next window."""
        return self.wait_seconds
