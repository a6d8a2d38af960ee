"""The documents app's product settings, checked once."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from documents.extraction.types import ExtractionLimits

UPLOAD_ENVELOPE_BYTES = 100_000  # what a form or JSON adds to a file of the largest size


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentsConfig:
    """Limits of uploads and of owed work; each key is described in docs/settings.md."""

    upload_max_bytes: int
    lease_seconds: int
    lease_renewal_seconds: int
    max_deaths: int
    sweep_seconds: int
    scheduled_lag_seconds: int
    api_body_max_bytes: int
    api_page_size: int
    api_page_size_max: int
    text_window_chars: int
    reads_per_minute: int
    questions_per_minute: int
    writes_per_minute: int
    sign_ins_per_minute: int
    extraction_seconds: int
    extraction_memory_bytes: int
    extraction_output_bytes: int
    extraction_text_chars: int

    def __post_init__(self) -> None:
        """Refuse values that cannot work."""
        for field in fields(self):
            if getattr(self, field.name) <= 0:
                raise ImproperlyConfigured(f"DOCUMENTS[{field.name!r}] must be above 0.")
        if self.lease_renewal_seconds * 2 > self.lease_seconds:
            raise ImproperlyConfigured("A lease must be renewed at least twice before it ends.")
        if self.api_page_size > self.api_page_size_max:
            raise ImproperlyConfigured("DOCUMENTS['api_page_size'] is more than a page holds.")

    @property
    def extraction_limits(self) -> ExtractionLimits:
        """Give what reading one file may use."""
        return ExtractionLimits(
            seconds=self.extraction_seconds,
            memory_bytes=self.extraction_memory_bytes,
            output_bytes=self.extraction_output_bytes,
            text_chars=self.extraction_text_chars,
        )

    def requests_per_minute(self, scope: str) -> int:
        """Return how many requests of a kind one subject may make a minute."""
        limits = {
            "read": self.reads_per_minute,
            "ask": self.questions_per_minute,
            "write": self.writes_per_minute,
            "sign_in": self.sign_ins_per_minute,
        }
        return limits[scope]


@cache
def documents_config() -> DocumentsConfig:
    """Return the checked settings.

    Raises: ImproperlyConfigured for an unknown or missing key, or a value out of bounds.
    """
    try:
        return DocumentsConfig(**settings.DOCUMENTS)  # type: ignore[misc]  # our own key
    except TypeError as error:
        raise ImproperlyConfigured(f"settings.DOCUMENTS: {error}") from error


def organisation_zone() -> ZoneInfo:
    """Return the organisation's time zone, in which dates without a time are read."""
    return ZoneInfo(settings.TIME_ZONE)
