"""Ends the processes that a killed server left behind.

On Linux only; elsewhere they are waited for.
"""

import contextlib
import os
import signal
from pathlib import Path

PROCESSES = Path("/proc")


def end_orphans(data_folder: Path, *, uid: int) -> None:
    """Send SIGQUIT to the account's processes at work in the data folder.

    PostgreSQL's processes have that folder as their working directory, and SIGQUIT is how its own
    postmaster tells them to leave at once.
    """
    for entry in PROCESSES.glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if entry.stat().st_uid == uid and (entry / "cwd").readlink() == data_folder:
                os.kill(int(entry.name), signal.SIGQUIT)
