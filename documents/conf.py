"""The documents app's product settings, checked once."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentsConfig:
    """Limits of uploads and of owed work; each key is described in docs/settings.md."""

    upload_max_bytes: int
    lease_seconds: int
    lease_renewal_seconds: int
    max_deaths: int
    sweep_seconds: int
    scheduled_lag_seconds: int

    def __post_init__(self) -> None:
        """Refuse values that cannot work."""
        for field in fields(self):
            if getattr(self, field.name) <= 0:
                raise ImproperlyConfigured(f"DOCUMENTS[{field.name!r}] must be above 0.")
        if self.lease_renewal_seconds * 2 > self.lease_seconds:
            raise ImproperlyConfigured("A lease must be renewed at least twice before it ends.")


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
