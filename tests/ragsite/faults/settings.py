"""A site for the fault tests: the local one with short leases, a light model and armed commits."""

from ragsite.settings.local import *  # noqa: F403
from ragsite.settings.local import CELERY_BEAT_SCHEDULE, DATABASES, INSTALLED_APPS
from ragsite.settings.product import DOCUMENTS as PRODUCT_VALUES

DATABASES = {"default": {**DATABASES["default"], "ENGINE": "tests.ragsite.faults.database"}}
INSTALLED_APPS = [*INSTALLED_APPS, "tests.ragsite.faults"]
SWEEP_SECONDS = 1
DOCUMENTS: dict[str, object] = {
    **PRODUCT_VALUES,
    "lease_seconds": 4,
    "lease_renewal_seconds": 1,
    "sweep_seconds": SWEEP_SECONDS,
    "writes_per_minute": 100_000,
}
CELERY_BEAT_SCHEDULE = {
    **CELERY_BEAT_SCHEDULE,
    "sweep": {**CELERY_BEAT_SCHEDULE["sweep"], "schedule": SWEEP_SECONDS},
}
# How long the message of a killed pool process waits before the next one is taken.
CELERY_WORKER_LOST_WAIT = 1.0
