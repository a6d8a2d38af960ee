"""Reads a file in a child process, so that a hostile one costs its reader nothing but the limits.

A child is kept between files, one for each thread that extracts at the same time, and replaced
after a timeout or a loss. Refuses to know what becomes of the text.
"""

import atexit
import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Self

from documents.extraction.errors import ExtractionCrashed, ExtractionFailed
from documents.extraction.frames import (
    ReplyFrame,
    RequestFrame,
    read_frame,
    read_text,
    write_frame,
)
from documents.extraction.types import CanonicalText, ExtractionLimits

ROOT = Path(__file__).resolve().parents[2]
# Nothing of the caller's environment, so no secret of it, reaches the child.
ENVIRONMENT = {"PYTHONUTF8": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
START_SECONDS = 60.0  # to load parsers and the language model on a very busy machine
GRACE_SECONDS = 2.0  # what the child needs beside the reading itself


def extract(
    content: bytes,
    *,
    original_name: str,
    encoding: str | None,
    limits: ExtractionLimits,
) -> CanonicalText:
    """Give the canonical text of a file.

    Raises: ExtractionFailed where the file cannot be read, now or ever; ExtractionCrashed where
    the child ended without a verdict.
    """
    request: RequestFrame = {
        "original_name": original_name,
        "encoding": encoding,
        "seconds": limits.seconds,
        "memory_bytes": limits.memory_bytes,
        "output_bytes": limits.output_bytes,
        "text_chars": limits.text_chars,
    }
    child = _idle.take()
    try:
        reply = child.ask(request, content)
    except BaseException:
        child.kill()
        raise
    _idle.put(child)
    return _read_reply(reply)


def close_children() -> None:
    """End the idle children of this process."""
    _idle.close()


class Child:
    """One running child process; answers one request at a time."""

    def __init__(self) -> None:
        """Start it and wait until it is ready.

        Raises: ExtractionCrashed where it does not start.
        """
        self._process = subprocess.Popen(
            [sys.executable, "-m", "documents.extraction.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env=ENVIRONMENT,
            start_new_session=True,
        )
        with Deadline(self._process, START_SECONDS):
            is_ready = self._receive() is not None
        if not is_ready:
            self.kill()
            raise ExtractionCrashed("The process that reads files does not start.")

    @property
    def pid(self) -> int:
        """The process id, which is also that of its group."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether the process is alive."""
        return self._process.poll() is None

    def ask(self, request: RequestFrame, content: bytes) -> ReplyFrame:
        """Send one file and give the reply.

        Raises: ExtractionFailed with code time_limit; ExtractionCrashed where the child is lost.
        """
        with Deadline(self._process, request["seconds"] + GRACE_SECONDS) as deadline:
            reply = self._receive() if self._send(request, content) else None
        if reply is not None:
            parsed: ReplyFrame = json.loads(reply)
            return parsed
        if deadline.has_passed:
            raise ExtractionFailed("Reading the file takes too long.", code="time_limit")
        raise ExtractionCrashed("The process that reads files was lost.")

    def kill(self) -> None:
        """End the child and its copy that reads a file, and wait for the end."""
        kill_group(self._process)
        self.close()

    def close(self) -> None:
        """End an idle child by closing its input, and wait for its end."""
        self.let_go()
        self._process.wait()

    def let_go(self) -> None:
        """Close this side of the pipes."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()

    def _send(self, request: RequestFrame, content: bytes) -> bool:
        if self._process.stdin is None:
            return False
        try:
            write_frame(self._process.stdin, json.dumps(request).encode())
            write_frame(self._process.stdin, content)
        except BrokenPipeError:
            return False
        return True

    def _receive(self) -> bytes | None:
        return None if self._process.stdout is None else read_frame(self._process.stdout)


class Deadline:
    """Kills a child and its copy when the time is up, unless left before."""

    def __init__(self, child: "subprocess.Popen[bytes]", seconds: float) -> None:
        """Note whom to kill and when."""
        self.has_passed = False
        self._child = child
        self._timer = threading.Timer(seconds, self._pass)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def _pass(self) -> None:
        self.has_passed = True
        kill_group(self._child)


class IdleChildren:
    """Children that wait for a file; a forked process does not take its parent's."""

    def __init__(self) -> None:
        """Begin with none: the first file starts the first child."""
        self._lock = threading.Lock()
        self._children: list[Child] = []

    def take(self) -> Child:
        """Give a waiting child, or a new one."""
        with self._lock:
            while self._children:
                child = self._children.pop()
                if child.is_running:
                    return child
                child.close()
        return Child()

    def put(self, child: Child) -> None:
        """Keep a child for the next file."""
        with self._lock:
            self._children.append(child)

    def close(self) -> None:
        """End every waiting child."""
        with self._lock:
            while self._children:
                self._children.pop().close()

    def forget(self) -> None:
        """Drop what was copied by a fork, so that the children still end with their own parent."""
        self._lock = threading.Lock()
        while self._children:
            self._children.pop().let_go()


def kill_group(process: "subprocess.Popen[bytes]") -> None:
    """Kill a child that leads a group, with its copies."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _read_reply(reply: ReplyFrame) -> CanonicalText:
    match reply:
        case {"text": dict(text)}:
            return read_text(text)
        case {"failed": {"code": str(code), "message": str(message)}}:
            raise ExtractionFailed(message, code=code)
        case {"crashed": str(how)}:
            raise ExtractionCrashed(f"The process that reads files ended with {how}.")
        case _:
            raise ExtractionCrashed("The process that reads files gave no verdict.")


_idle = IdleChildren()
os.register_at_fork(after_in_child=_idle.forget)
atexit.register(close_children)
