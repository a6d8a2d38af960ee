"""Stops what runs with this state directory: `start` with its children, and the server."""

import os
import signal
import time
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from ragsite.database.base import embedded_server
from ragsite.embedded.locks import is_held

LIMIT_SECONDS = 60.0


class Command(BaseCommand):
    """Stops Ragsite on this machine; fine when nothing runs."""

    help = "Stop a running `start` and the embedded database of this state directory."
    requires_system_checks: list[str] = []

    def handle(self, *_: object, **__: object) -> None:
        """Stop, wait, say what was stopped."""
        if _stop_start(Path(settings.STATE_DIR) / "locks" / "start"):
            self.stdout.write("Ragsite has stopped.")
        if settings.EMBEDDED_POSTGRES and embedded_server().stop():
            self.stdout.write("The database has stopped.")


def _stop_start(lock: Path) -> bool:
    if not is_held(lock):
        return False
    # The lock is held, so the number in it is that of the living holder.
    os.kill(int(lock.read_text()), signal.SIGTERM)
    began = time.monotonic()
    while is_held(lock):
        if time.monotonic() - began > LIMIT_SECONDS:
            raise CommandError("Ragsite was asked to stop, but still runs.")
        time.sleep(0.05)
    return True
