"""The shared error base and the errors of documents. HTTP statuses live in ragsite/errors.py."""

from __future__ import annotations

from collections.abc import Mapping


class ProductError(Exception):
    """Something a caller can act on: a stable code, a sentence, and ids only in the details."""

    code = "product_error"

    def __init__(
        self, message: str, *, code: str | None = None, details: Mapping[str, object] | None = None
    ) -> None:
        """Keep the sentence; `code` overrides the class's where one class has several."""
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.details: dict[str, object] = dict(details or {})


class DocumentNotFound(ProductError):
    """No such document, or not for this reader: the two look the same."""

    code = "document_not_found"

    def __init__(self) -> None:
        """Always the same sentence, whatever the reason."""
        super().__init__("There is no such document, or you may not read it.")


class NotPermitted(ProductError):
    """The caller can see the thing but may not do this with it."""

    code = "not_permitted"


class InvalidInput(ProductError):
    """A value that cannot be used; the message names the field and the way out."""

    code = "invalid_input"


class Conflict(ProductError):
    """The state has moved on, or does not allow this step."""

    code = "conflict"


class TooManyRequests(ProductError):
    """More requests within a minute than are allowed; `wait_seconds` says when to go on."""

    code = "too_many_requests"

    def __init__(self, *, wait_seconds: int) -> None:
        """Say how long to wait."""
        super().__init__(
            f"Too many requests. Go on in {wait_seconds} seconds.",
            details={"wait_seconds": wait_seconds},
        )
