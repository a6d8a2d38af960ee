"""The one error of a database that cannot be used as it is."""

from django.core.management.base import CommandError
from django.db import OperationalError


class UnusableDatabase(CommandError, OperationalError):
    """The database needs an administrator; the message says what to do.

    A command prints it and ends; a page and /readyz treat it like any database that is away.
    """
