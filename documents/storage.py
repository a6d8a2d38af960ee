"""Keeps uploaded bytes once by their hash, durably, before anything is committed."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

from django.core.files.base import ContentFile, File
from django.core.files.storage import FileSystemStorage, default_storage
from django.db import connection
from django.utils import timezone

from documents.models import Revision, SourceFile


class DurableFileSystemStorage(FileSystemStorage):
    """A file storage whose save returns only when file and folder are on the disk."""

    def _save(self, name: str, content: File[Any]) -> str:
        stored = super()._save(name, content)  # type: ignore[misc]  # the stubs leave it out
        path = Path(self.path(stored))
        for target, flags in ((path, os.O_RDONLY), (path.parent, os.O_RDONLY | os.O_DIRECTORY)):
            descriptor = os.open(target, flags)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        return str(stored)


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
        return known
    key = default_storage.save(f"{sha256[:2]}/{sha256[2:4]}/{sha256}", ContentFile(content))
    if known is not None:
        known.storage_key = key
        known.save(update_fields=["storage_key"])
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


def drop_unneeded_source(source_file: SourceFile) -> None:
    """Remove row and bytes where no revision needs them any more, under the lock on the hash."""
    lock_hash(source_file.sha256)
    if Revision.objects.filter(source_file=source_file).exists():
        return
    default_storage.delete(source_file.storage_key)
    source_file.delete()
