"""Kills as an operating system short of memory does: SIGKILL, without a word before."""

import contextlib
import os
import signal
from pathlib import Path


def kill_group_of_this_process() -> None:
    """Kill this process with the others of its program: a worker with its pool, a web server."""
    os.killpg(os.getpgrp(), signal.SIGKILL)


def kill_this_process() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def kill_database(state: Path) -> None:
    """Kill the embedded server, the process that would restart the others first."""
    data = (state / "postgres/data").resolve()
    try:
        postmaster = int((data / "postmaster.pid").read_text().split()[0])
    except (FileNotFoundError, IndexError):
        return  # dead already, or not yet begun
    for pid in [postmaster, *_processes_at(data)]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def kill_program(state: Path, name: str) -> None:
    """Kill a program of `start` with its children: `uvicorn`, `worker` or `beat`."""
    for pid in sorted(programs_of(state)[name]):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def programs_of(state: Path) -> dict[str, list[int]]:
    """Numbers of the living programs of this state directory, by what they are."""
    found: dict[str, list[int]] = {"uvicorn": [], "worker": [], "beat": []}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if f"RAGSITE_STATE_DIR={state}\0".encode() not in (entry / "environ").read_bytes():
                continue
            words = (entry / "cmdline").read_text().split("\0")
        except OSError:
            continue
        for name, numbers in found.items():
            if name in words:
                numbers.append(int(entry.name))
    return found


def _processes_at(folder: Path) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (entry / "cwd").readlink() == folder:
                found.append(int(entry.name))
    return found
