"""Does a piece of work again when the database went away under it and has come back."""

import time
from collections.abc import Callable
from typing import TypeVar

from django.db import InterfaceError, OperationalError, connection

PAUSES_SECONDS = (0.5, 1, 2, 4, 8, 16, 30)
Outcome = TypeVar("Outcome")


def outlasting(action: Callable[[], Outcome]) -> Outcome:
    """Return the outcome of the first run of an action that the database lives through.

    The action must be one that may be done again, since a part of it may have been committed.
    Raises: the database's own error where it cannot be reached to begin with, where it stays away
    for a minute, and where it lives and refuses.
    """
    connection.ensure_connection()
    for pause_seconds in PAUSES_SECONDS:
        opened = connection.connection
        try:
            return action()
        except (OperationalError, InterfaceError):
            if opened is not None and connection.connection is opened and connection.is_usable():
                raise
            connection.close()
            time.sleep(pause_seconds)
    return action()
