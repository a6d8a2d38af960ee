"""Reads request bodies into values; whatever cannot be read is the caller's error, never ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser


class BoundedJSONParser(JSONParser):
    """JSON of bounded depth, whose top is an object.

    Python's own reader gives up on thousands of nested brackets with RecursionError, which is no
    ValueError and would otherwise end as a server error.
    """

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return the object that the body spells.

        Raises: ParseError.
        """
        try:
            value = super().parse(stream, media_type, parser_context)
        except RecursionError as error:
            raise ParseError("The JSON is nested too deeply.") from error
        if not isinstance(value, dict):
            raise ParseError("The body must be a JSON object.")
        return value
