"""A served site: secrets from the environment, TLS in front, nothing permissive."""

from django.core.exceptions import ImproperlyConfigured

from ragsite.settings import environ
from ragsite.settings.base import *  # noqa: F403
from ragsite.settings.base import ALLOWED_HOSTS

SECRET_KEY = environ.read_required("RAGSITE_SECRET_KEY")
environ.read_required("DATABASE_URL")
if "*" in ALLOWED_HOSTS:
    raise ImproperlyConfigured("RAGSITE_ALLOWED_HOSTS must name hosts; * is refused.")
DEMO_ALLOWED = False
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
SECURE_SSL_REDIRECT = environ.read_flag("RAGSITE_SSL_REDIRECT", default=True)
SECURE_HSTS_SECONDS = environ.read_number(
    "RAGSITE_HSTS_SECONDS", 31_536_000, minimum=0, maximum=63_072_000
)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
