"""Locks between processes, by flock: the kernel lets go of them when a process dies, however."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def open_lock(path: Path) -> int:
    """Open a lock file, made 0600; programs started later do not inherit it."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold the lock alone, waiting for it as long as it takes."""
    descriptor = open_lock(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def share(descriptor: int) -> None:
    """Hold the lock together with others, waiting while somebody holds it alone."""
    fcntl.flock(descriptor, fcntl.LOCK_SH)


def try_alone(descriptor: int) -> bool:
    """Hold the lock alone if nobody else holds it; on failure it may be lost altogether."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_held(path: Path) -> bool:
    """Say whether any process holds the lock at this moment."""
    if not path.exists():
        return False
    descriptor = open_lock(path)
    try:
        return not try_alone(descriptor)
    finally:
        os.close(descriptor)
