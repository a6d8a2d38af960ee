"""Django settings shared by every environment. Product knobs live in product.py."""

from __future__ import annotations

from pathlib import Path

import dj_database_url
import django_stubs_ext

from ragsite.embedded.folders import broker_folders, default_state_folder
from ragsite.settings import environ
from ragsite.settings.product import ANSWERS, DOCUMENTS, EVALUATION, RETRIEVAL  # noqa: F401 - read by the apps

django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent.parent
STATE_DIR = environ.read_path("RAGSITE_STATE_DIR", default_state_folder(BASE_DIR))

DEBUG = False
ALLOWED_HOSTS = environ.read_list("RAGSITE_ALLOWED_HOSTS", ["127.0.0.1", "localhost", "[::1]"])
CSRF_TRUSTED_ORIGINS = environ.read_list("RAGSITE_TRUSTED_ORIGINS", [])

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "guardian",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "documents",
    "retrieval",
    "answers",
    "evaluation",
    "ragsite",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "ragsite.middleware.RequestMoment",
    "ragsite.middleware.ContentSecurityPolicy",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "ragsite.middleware.ProductErrors",
]

ROOT_URLCONF = "ragsite.urls"
ASGI_APPLICATION = "ragsite.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "ragsite.context_processors.page_frame",
            ],
        },
    }
]

DATABASE_URL = environ.read_text("DATABASE_URL", "")
if DATABASE_URL:
    DATABASES = {
        "default": dj_database_url.parse(
            DATABASE_URL,
            engine="ragsite.database",
            conn_max_age=60,
            conn_health_checks=True,
        )
    }
else:
    DATABASES = {
        "default": {
            "ENGINE": "ragsite.database",
            "NAME": "ragsite",
            "CONN_MAX_AGE": 60,
            "CONN_HEALTH_CHECKS": True,
        }
    }
EMBEDDED_POSTGRES = not DATABASE_URL
# Whether `manage.py demo` may make its accounts here; a served site refuses them.
DEMO_ALLOWED = True
POSTGRES_ACCOUNT = environ.read_text("RAGSITE_POSTGRES_ACCOUNT", "nobody")
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "sign_in"
LOGIN_REDIRECT_URL = "ask"
# guardian's own row for anonymous readers is not wanted: reach "public" says who may read unsigned.
ANONYMOUS_USER_NAME = None
# Reading is decided in documents/visibility.py alone, never by has_perm on an object.
SILENCED_SYSTEM_CHECKS = ["guardian.W001"]

ORGANISATION_NAME = environ.read_text("RAGSITE_ORGANISATION_NAME", "Your organisation")

LANGUAGE_CODE = "en"
USE_I18N = True
USE_TZ = True
TIME_ZONE = environ.read_text("RAGSITE_TIME_ZONE", "UTC")

STATIC_URL = "static/"
STATIC_ROOT = environ.read_path("RAGSITE_STATIC_ROOT", STATE_DIR / "static")
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {
        "BACKEND": "documents.storage.DurableFileSystemStorage",
        "OPTIONS": {
            "location": STATE_DIR / "files",
            "file_permissions_mode": 0o600,
            "directory_permissions_mode": 0o700,
        },
    },
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "documents.authentication.AccessTokenAuthentication",
        "documents.authentication.BrowserSession",
    ],
    "DEFAULT_PERMISSION_CLASSES": [
        "rest_framework.permissions.IsAuthenticated",
        "documents.authentication.HasTokenScope",
    ],
    "DEFAULT_THROTTLE_CLASSES": ["documents.throttling.AccountThrottle"],
    "DEFAULT_PARSER_CLASSES": ["documents.parsers.BoundedJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "ragsite.errors.api_exception_handler",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Ragsite",
    "VERSION": "1",
    "DESCRIPTION": "Answers over revised documents, cited to the character.",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "ragsite.api_description.describe_errors",
    ],
}

FOLDER_BROKER = "filesystem://"
CELERY_BROKER_URL = environ.read_text("CELERY_BROKER_URL", FOLDER_BROKER)
CELERY_BROKER_TRANSPORT: str | None = None
# Above the hard time limit, or Redis would hand a running task to a second worker.
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, object] = {"visibility_timeout": 7200}
if CELERY_BROKER_URL == FOLDER_BROKER:
    CELERY_BROKER_TRANSPORT = "ragsite.broker.FolderTransport"
    CELERY_BROKER_TRANSPORT_OPTIONS = {**broker_folders(STATE_DIR), "polling_interval": 0.5}
# A message is a hint about a row: JSON with an id in it, never a result, never a retry.
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_RESULT_BACKEND = None
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_SOFT_TIME_LIMIT = 3000
CELERY_TASK_TIME_LIMIT = 3600
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 10.0
CELERY_WORKER_CONCURRENCY = environ.read_number("RAGSITE_WORKERS", 1, minimum=1, maximum=64)
# A new worker process loads the model first, for longer than Celery would wait by itself.
CELERY_WORKER_PROC_ALIVE_TIMEOUT = 120.0
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE_FILENAME = str(STATE_DIR / "broker" / "beat-schedule")
UPKEEP_SECONDS = 300
# What was sent while no worker ran is worth nothing: each of these looks at all there is to do.
CELERY_BEAT_SCHEDULE = {
    name: {"task": task, "schedule": seconds, "options": {"expires": seconds}}
    for name, task, seconds in (
        ("sweep", "documents.sweep", DOCUMENTS["sweep_seconds"]),
        ("repair statistics", "retrieval.repair_statistics", UPKEEP_SECONDS),
        ("maintain graph", "retrieval.maintain_graph", UPKEEP_SECONDS),
    )
}
