"""Counts requests per account and minute in the database, so that every process counts together."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db import connection

from documents.errors import TooManyRequests

WINDOW_SECONDS = 60
BUCKETS = 65_536

# One row per subject and kind, so the table never outgrows the accounts. A clock that lags behind
# another process's counts into the newer window instead of opening the old one again.
COUNT_REQUEST = """
INSERT INTO documents_ratelimitcount AS counted (subject, kind, window_start, requests)
VALUES (%(subject)s, %(kind)s, %(window_start)s, 1)
ON CONFLICT (subject, kind) DO UPDATE SET
    requests = CASE
        WHEN counted.window_start >= EXCLUDED.window_start THEN counted.requests + 1 ELSE 1 END,
    window_start = GREATEST(counted.window_start, EXCLUDED.window_start)
RETURNING requests
"""

TAKE_BACK = """
UPDATE documents_ratelimitcount SET requests = GREATEST(requests - 1, 0)
WHERE subject = %(subject)s AND kind = %(kind)s
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """Whether a request may go on, and otherwise how many seconds until the next window."""

    allowed: bool
    wait_seconds: float


def count_request(subject: str, kind: str, *, limit: int, at: datetime) -> Allowance:
    """Count one request and say whether it is within `limit` a window.

    The count is one atomic statement: two processes never read the same number.
    """
    elapsed = at.timestamp() % WINDOW_SECONDS
    window_start = datetime.fromtimestamp(at.timestamp() - elapsed, tz=UTC)
    with connection.cursor() as cursor:
        cursor.execute(
            COUNT_REQUEST, {"subject": subject, "kind": kind, "window_start": window_start}
        )
        (requests,) = cursor.fetchone()
    return Allowance(allowed=requests <= limit, wait_seconds=WINDOW_SECONDS - elapsed)


def check_rate(subject: str, kind: str, *, limit: int, at: datetime) -> None:
    """Count one request.

    Raises: TooManyRequests beyond `limit` a window.
    """
    allowance = count_request(subject, kind, limit=limit, at=at)
    if not allowance.allowed:
        raise TooManyRequests(wait_seconds=int(allowance.wait_seconds) + 1)


def take_back(subject: str, kind: str) -> None:
    """Let one counted request not count."""
    with connection.cursor() as cursor:
        cursor.execute(TAKE_BACK, {"subject": subject, "kind": kind})


def bucket_of(kind: str, value: str) -> str:
    """Return the subject under which something without an account is counted.

    Values from outside are hashed into so many buckets, so that nobody can fill the table.
    """
    digest = hashlib.sha256(value.encode("utf-8", "surrogatepass")).digest()
    return f"{kind}:{int.from_bytes(digest[:8]) % BUCKETS}"
