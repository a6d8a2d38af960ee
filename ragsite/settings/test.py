"""The test suite: fast passwords, plain static files, a fixed secret."""

from ragsite.settings.base import *  # noqa: F403
from ragsite.settings.base import STORAGES

SECRET_KEY = "only-for-tests-and-never-for-a-site-that-anyone-reaches"  # noqa: S105 - no secret
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
TIME_ZONE = "Europe/Berlin"
STORAGES = {
    **STORAGES,
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
CELERY_TASK_ALWAYS_EAGER = False
CELERY_BROKER_URL = "memory://"
CELERY_BROKER_URL = "memory://"
CELERY_BROKER_TRANSPORT = None
CELERY_BROKER_TRANSPORT_OPTIONS = {}
