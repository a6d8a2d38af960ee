"""Gives a measurement a scratch database, and keeps its numbers with machine and commit."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.backends.base.creation import TEST_DATABASE_PREFIX

ROOT = Path(__file__).resolve().parents[2]
DATA_DIR = ROOT.parent / "shared" / "data"
Measured = Mapping[str, object]


def run_measurement(name: str, measure: Callable[[], Measured], *, keep: bool) -> int:
    """Measure in a scratch database, print what came out and write it down."""
    if not DATA_DIR.is_dir():
        sys.stderr.write(f"There are no corpora at {DATA_DIR}.\n")
        return 1
    started = time.perf_counter()
    with scratch_database(f"bench_{name}", keep=keep):
        results = measure()
    record = {
        "name": name,
        "measured_at": datetime.now(tz=UTC).isoformat(timespec="seconds"),
        "commit": commit(),
        "machine": machine(),
        "seconds": round(time.perf_counter() - started, 1),
        "results": results,
    }
    path = bench_folder() / f"{name}.json"
    path.write_text(json.dumps(record, indent=2), encoding="utf-8")
    sys.stdout.write(f"Written to {path}.\n")
    return 0


def bench_folder() -> Path:
    folder = Path(settings.STATE_DIR) / "bench"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


@contextmanager
def scratch_database(name: str, *, keep: bool) -> Iterator[None]:
    """Make an empty database beside the real one, and drop it afterwards unless it is kept."""
    real_name = connection.settings_dict["NAME"]
    # The prefix tells the product's own start-up that migrations are the test's matter.
    connection.settings_dict["TEST"]["NAME"] = f"{TEST_DATABASE_PREFIX}{real_name}_{name}"
    connection.creation.create_test_db(verbosity=0, autoclobber=True, keepdb=keep)
    try:
        yield
    finally:
        connection.creation.destroy_test_db(real_name, verbosity=0, keepdb=keep)


def machine() -> dict[str, object]:
    """Describe the machine that the numbers come from."""
    cpu = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "memory_gb": round(memory / 1e9, 1),
        "python": platform.python_version(),
        "load": os.getloadavg()[0],
    }


def commit() -> str:
    """Name the commit, with a mark where files differ from it."""
    described = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--abbrev=12"],  # noqa: S607 - git of this machine
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return described.stdout.strip() or "unknown"


def print_table(title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows under their heads, columns aligned."""
    cells = [list(head), *([show(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    sys.stdout.write(f"\n{title}\n")
    for row in cells:
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        sys.stdout.write(f"{line.rstrip()}\n")
    sys.stdout.flush()


def show(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
