"""Fields of API requests that say more than DRF's own when they refuse."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from documents.conf import documents_config, organisation_zone
from documents.errors import InvalidInput
from documents.intervals import parse_moment
from documents.pagination import Key, PageRequest, decode_cursor

MAX_FILTER_VALUES = 50
MAX_NAMED_ERRORS = 10


@extend_schema_field(OpenApiTypes.STR)
class MomentField(serializers.Field):  # type: ignore[type-arg]  # the stubs' generics are not the runtime's
    """An ISO 8601 date or date-time; without an offset it is read in the organisation's zone."""

    def to_internal_value(self, value: Any) -> datetime:
        """Return the aware moment.

        Raises: InvalidInput (`invalid_moment`, `ambiguous_moment`, `nonexistent_moment`).
        """
        if not isinstance(value, str):
            raise InvalidInput(
                "A moment is text such as 2026-03-29 or 2026-03-29T14:30+02:00.",
                code="invalid_moment",
                details={"field": self.field_name},
            )
        return read_moment(value, field=str(self.field_name))

    def to_representation(self, value: datetime) -> str:
        """Spell the moment in the organisation's zone."""
        return value.astimezone(organisation_zone()).isoformat()


def read_moment(value: str, *, field: str) -> datetime:
    """Return the moment that a field of a request holds.

    Raises: InvalidInput (`invalid_moment`, `ambiguous_moment`, `nonexistent_moment`), naming it.
    """
    try:
        return parse_moment(value, zone=organisation_zone())
    except InvalidInput as error:
        details = {**error.details, "field": field}
        raise InvalidInput(error.message, code=error.code, details=details) from error


class WordsField(serializers.ListField):
    """A filter of up to fifty values, of which any may match unless said; empty admits nothing."""

    child = serializers.CharField(max_length=200)

    def __init__(self, **options: Any) -> None:
        """Bound the number of values."""
        super().__init__(max_length=MAX_FILTER_VALUES, **options)


class StrictSerializer(serializers.Serializer[Any]):
    """Input whose every name is known: a misspelt filter must not widen what it finds."""

    def to_internal_value(self, data: Any) -> Any:
        """Return the validated values.

        Raises: ValidationError naming the fields, unknown ones too.
        """
        if isinstance(data, Mapping):
            unknown = sorted(str(name)[:100] for name in data if name not in self.fields)
            if unknown:
                raise serializers.ValidationError(
                    {name: ["There is no such field."] for name in unknown[:MAX_NAMED_ERRORS]}
                )
        return super().to_internal_value(data)


class PageQuerySerializer(StrictSerializer):
    """The page asked for: how many, and after which place."""

    limit = serializers.IntegerField(required=False, min_value=1)
    cursor = serializers.CharField(required=False, max_length=2000)

    def validate_limit(self, limit: int) -> int:
        """Refuse more than a page holds, naming the number."""
        largest = documents_config().api_page_size_max
        if limit > largest:
            raise serializers.ValidationError(f"At most {largest} a page.")
        return limit

    def page_request(self, listing: str) -> PageRequest:
        """Return the validated page.

        Raises: InvalidInput (`invalid_cursor`).
        """
        values = self.validated_data
        cursor = values.get("cursor")
        after: Key | None = decode_cursor(listing, cursor) if cursor is not None else None
        return PageRequest(limit=values.get("limit", documents_config().api_page_size), after=after)
