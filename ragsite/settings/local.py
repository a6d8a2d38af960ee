"""One machine: embedded database, secrets made on first use and kept in the state directory."""

from ragsite.embedded.folders import kept_secret
from ragsite.settings import environ
from ragsite.settings.base import *  # noqa: F403
from ragsite.settings.base import STATE_DIR

SECRET_KEY = kept_secret(STATE_DIR, "secret-key")
DEBUG = environ.read_flag("RAGSITE_DEBUG", default=False)
