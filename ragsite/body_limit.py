"""Refuses bodies that are too long before they are read: Django would first keep them on disk."""

from __future__ import annotations

import json
import uuid
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

from documents.conf import UPLOAD_ENVELOPE_BYTES, documents_config

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Any, Any, Any], Awaitable[None]]

API_PREFIX = "/api/"
DRAINED_LIMITS = 4  # how many times the limit is read and thrown away, so that clients can listen


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a body is not read."""

    status: int
    code: str
    message: str
    details: dict[str, object]


class BodyLimit:
    """Let through what an upload may be long, and answer for the rest."""

    def __init__(self, application: Application) -> None:
        """Keep the next layer."""
        self.application = application

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Look at the announced length only."""
        refusal = find_refusal(scope) if scope["type"] == "http" else None
        if refusal is None:
            await self.application(scope, receive, send)
        else:
            await _answer(refusal, scope, receive, send)


def find_refusal(scope: Message) -> Refusal | None:
    """Return why a request's body is not read, or None where it is.

    A body of unannounced length would count as none further on, so it is refused here.
    """
    headers = dict(scope["headers"])
    limit = documents_config().upload_max_bytes
    announced = headers.get(b"content-length", b"0")
    if b"transfer-encoding" in headers:
        return Refusal(
            status=411,
            code="length_required",
            message="Send the body's length in Content-Length.",
            details={},
        )
    length = int(announced) if announced.isdigit() else 0
    if length <= limit + UPLOAD_ENVELOPE_BYTES:
        return None
    return Refusal(
        status=413,
        code="too_large",
        message=f"The request has {length} bytes; at most {limit} are accepted.",
        details={"limit_bytes": limit},
    )


async def _answer(refusal: Refusal, scope: Message, receive: Receive, send: Send) -> None:
    """Send the whole answer at once, then read on for a while, so that the client can hear it."""
    request_id = uuid.uuid4().hex
    content, kind = refusal.message.encode(), b"text/plain; charset=utf-8"
    if scope["path"].startswith(API_PREFIX):
        body = {"code": refusal.code, "message": refusal.message, "details": refusal.details}
        content, kind = json.dumps(body | {"request_id": request_id}).encode(), b"application/json"
    headers = [
        (b"content-type", kind),
        (b"content-length", str(len(content)).encode()),
        (b"x-request-id", request_id.encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": content, "more_body": True})
    await _drain(receive)
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _drain(receive: Receive) -> None:
    left = DRAINED_LIMITS * documents_config().upload_max_bytes
    while left > 0:
        message = await receive()
        if message["type"] != "http.request" or not message.get("more_body"):
            return
        left -= len(message.get("body", b""))
