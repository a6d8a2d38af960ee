"""The root of every product error; knows no HTTP and no Django."""

from collections.abc import Mapping


class ProductError(Exception):
    """An error with a stable code that a caller can act on.

    Invariant: `details` holds ids and numbers, never document text.
    """

    code = "product_error"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        details: Mapping[str, object] | None = None,
    ) -> None:
        """Keep the sentence for people, the code for programs, and the ids."""
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.details: dict[str, object] = dict(details or {})
