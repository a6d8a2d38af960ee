"""Keeps uploaded bytes once by their hash, durably, before anything is committed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.files.base import ContentFile, File
from django.core.files.storage import FileSystemStorage, default_storage
from django.db import connection, transaction
from django.utils import timezone

from documents.models import Revision, SourceFile


class DurableFileSystemStorage(FileSystemStorage):
    """A file storage whose save returns only when file and folder are on the disk."""

    def _save(self, name: str, content: File[Any]) -> str:
        stored = super()._save(name, content)  # type: ignore[misc]  # the stubs leave it out
        path, top = Path(self.path(stored)), Path(self.location)
        _flush(path, os.O_RDONLY)
        # Each folder on the way may be new, and a new folder is an entry in the one above.
        for folder in (folder for folder in path.parents if folder.is_relative_to(top)):
            _flush(folder, os.O_RDONLY | os.O_DIRECTORY)
        return str(stored)


def _flush(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def lock_hash(sha256: str) -> None:
    """Hold the hash until the transaction ends, against a purge of the same bytes."""
    key = int.from_bytes(bytes.fromhex(sha256[:16]), "big", signed=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [key])


def store_source(content: bytes) -> SourceFile:
    """Return the source file of these bytes, stored durably; equal bytes are stored once.

    Must run inside a transaction: the hash stays locked until it ends.
    """
    sha256 = hashlib.sha256(content).hexdigest()
    lock_hash(sha256)
    known = SourceFile.objects.filter(sha256=sha256).first()
    if known is not None and default_storage.exists(known.storage_key):
        SourceFile.objects.filter(pk=known.pk, drop_owed=True).update(drop_owed=False)
        return known
    key = default_storage.save(f"{sha256[:2]}/{sha256[2:4]}/{sha256}", ContentFile(content))
    if known is not None:
        known.storage_key, known.drop_owed = key, False
        known.save(update_fields=["storage_key", "drop_owed"])
        return known
    return SourceFile.objects.create(
        sha256=sha256, size_bytes=len(content), storage_key=key, stored_at=timezone.now()
    )


def read_source(source_file: SourceFile) -> bytes:
    """Return the stored bytes.

    Raises: OSError where the storage cannot give them, or gives other bytes.
    """
    with default_storage.open(source_file.storage_key) as file:
        content: bytes = file.read()
    if hashlib.sha256(content).hexdigest() != source_file.sha256:
        raise OSError(f"The stored bytes of source file {source_file.pk} have changed.")
    return content


def owe_drop(source_file_ids: Iterable[int]) -> None:
    """Owe the removal of bytes that may be needed no more, in the purging transaction.

    The bytes go only after it has committed: a transaction that fails must not lose them, and a
    crash in between leaves a row that the sweep finds.
    """
    SourceFile.objects.filter(pk__in=source_file_ids).update(drop_owed=True)
    transaction.on_commit(drop_unneeded_sources, robust=True)


def drop_unneeded_sources() -> None:
    """Remove owed rows and their bytes where no revision needs them, under the lock on the hash."""
    for owed in SourceFile.objects.filter(drop_owed=True).order_by("id"):
        with transaction.atomic():
            lock_hash(owed.sha256)
            source_file = SourceFile.objects.filter(pk=owed.pk, drop_owed=True).first()
            if source_file is None:
                continue
            if Revision.objects.filter(source_file=source_file).exists():
                source_file.drop_owed = False
                source_file.save(update_fields=["drop_owed"])
                continue
            default_storage.delete(source_file.storage_key)
            source_file.delete()
