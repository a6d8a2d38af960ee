"""The local site as it is served, real model and real leases, with armed commits and no more."""

from ragsite.settings.local import *  # noqa: F403
from ragsite.settings.local import DATABASES

DATABASES = {"default": {**DATABASES["default"], "ENGINE": "tests.ragsite.faults.database"}}
