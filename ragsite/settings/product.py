"""Product knobs, one dict an app. Every key is described in docs/settings.md."""

from __future__ import annotations

from ragsite.settings import environ

DOCUMENTS: dict[str, object] = {
    "upload_max_bytes": environ.read_number(
        "RAGSITE_UPLOAD_MAX_BYTES", 50_000_000, minimum=1_000, maximum=2_000_000_000
    ),
    "lease_seconds": 60,
    "lease_renewal_seconds": 15,
    "max_deaths": 3,
    "sweep_seconds": 30,
    "scheduled_lag_seconds": 900,
}

RETRIEVAL: dict[str, object] = {}

ANSWERS: dict[str, object] = {}

EVALUATION: dict[str, object] = {}
