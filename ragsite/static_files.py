"""Keeps the collected static files as new as their sources."""

import hashlib
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.management import call_command

NOTE = "collected"


def collect_if_outdated() -> bool:
    """Collect static files when their sources changed since the last time; say whether it did."""
    note = Path(settings.STATIC_ROOT) / NOTE
    state = _state_of_sources()
    if note.exists() and note.read_text() == state:
        return False
    call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    note.write_text(state)
    return True


def _state_of_sources() -> str:
    digest = hashlib.sha256(str(settings.STORAGES["staticfiles"]).encode())
    for finder in finders.get_finders():
        for name, storage in finder.list([]):
            source = Path(storage.path(name)).stat()
            digest.update(f"{name}\0{source.st_size}\0{source.st_mtime_ns}\0".encode())
    return digest.hexdigest()
