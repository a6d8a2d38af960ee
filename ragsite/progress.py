"""Shows how far a long command has come, on standard error only."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from tqdm import tqdm

LINE_EVERY_SECONDS = 5.0


class Progress:
    """A bar on a terminal; elsewhere a plain line every few seconds, and one at the end."""

    def __init__(self, label: str, *, total: int, stream: TextIO | None = None) -> None:
        """Start at nothing done."""
        self._stream = stream or sys.stderr
        self._label = label
        self._total = total
        self._shown_at = time.monotonic()
        self._shown = 0
        self._bar = tqdm(
            total=total, desc=label, file=self._stream, disable=not self._stream.isatty()
        )

    def show(self, done: int) -> None:
        """Show that this many are done."""
        if not self._bar.disable:
            self._bar.update(done - self._bar.n)
            return
        if time.monotonic() - self._shown_at >= LINE_EVERY_SECONDS:
            self._write_line(done)

    def close(self, done: int) -> None:
        """Show the end."""
        if not self._bar.disable:
            self._bar.update(done - self._bar.n)
        elif done != self._shown:
            self._write_line(done)
        self._bar.close()

    def _write_line(self, done: int) -> None:
        self._stream.write(f"{self._label}: {done} of {self._total}\n")
        self._stream.flush()
        self._shown_at, self._shown = time.monotonic(), done
