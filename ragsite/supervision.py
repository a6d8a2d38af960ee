"""Child processes that are restarted when they die and never outlive their parent."""

import ctypes
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

logger = logging.getLogger(__name__)

PR_SET_PDEATHSIG = 1
FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 30.0
STEADY_SECONDS = 60.0
GRACE_SECONDS = 12.0
HARD_STOP_SECONDS = 25.0


def _death_note() -> Callable[[], None] | None:
    """Return what a new child must do so that the kernel ends it with its parent (Linux only)."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl
    parent = os.getpid()

    def tie_to_parent() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # it died before the kernel was told
            os._exit(1)

    return tie_to_parent


class Child:
    """One program that should run; each start gets a process group of its own."""

    def __init__(self, name: str, arguments: Sequence[str]) -> None:
        """Remember what to run."""
        self.name = name
        self._arguments = list(arguments)
        self._running: subprocess.Popen[bytes] | None = None
        self._started_at = 0.0
        self._start_again_at: float | None = None
        self._pause = FIRST_PAUSE_SECONDS

    def start(self) -> None:
        """Start the program."""
        self._started_at = time.monotonic()
        self._start_again_at = None
        self._running = subprocess.Popen(  # noqa: S603 - the command's own arguments
            self._arguments,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=_death_note(),  # noqa: PLW1509 - no thread runs yet in this process
        )

    def keep_alive(self) -> bool:
        """Start it again after a pause if it died; say whether it died just now."""
        now = time.monotonic()
        if self._start_again_at is not None:
            if now >= self._start_again_at:
                self.start()
            return False
        if self._running is None or self._running.poll() is None:
            return False
        if now - self._started_at > STEADY_SECONDS:
            self._pause = FIRST_PAUSE_SECONDS
        logger.error(
            "%s ended with status %s; it starts again in %.0f s",
            self.name,
            self._running.returncode,
            self._pause,
        )
        self._signal_group(signal.SIGKILL)
        self._start_again_at = now + self._pause
        self._pause = min(self._pause * 2, LONGEST_PAUSE_SECONDS)
        return True

    def ask_to_stop(self, number: signal.Signals) -> None:
        """Send the program itself a signal; it tells its own children."""
        if self._running is not None and self._running.poll() is None:
            self._running.send_signal(number)

    def is_running(self) -> bool:
        """Say whether the program runs."""
        return self._running is not None and self._running.poll() is None

    def end(self) -> None:
        """Kill what is left of its process group."""
        self._signal_group(signal.SIGKILL)
        if self._running is not None:
            self._running.wait()

    def _signal_group(self, number: signal.Signals) -> None:
        if self._running is None:
            return
        try:
            os.killpg(self._running.pid, number)
        except ProcessLookupError:
            return


def stop_all(children: Sequence[Child]) -> None:
    """Stop every child: politely, then firmly, then for certain."""
    began = time.monotonic()
    for child in children:
        child.ask_to_stop(signal.SIGTERM)
    asked_again = False
    while any(child.is_running() for child in children):
        waited = time.monotonic() - began
        if waited > HARD_STOP_SECONDS:
            break
        if waited > GRACE_SECONDS and not asked_again:
            asked_again = True
            for child in children:
                # To Celery this means: give the running task ten seconds, then leave it.
                child.ask_to_stop(signal.SIGQUIT)
        time.sleep(0.05)
    for child in children:
        child.end()
