"""Chooses the server's settings for the machine it runs on. Pure, except for `read_machine`.

Durability is never traded for speed: fsync, full_page_writes and synchronous_commit keep their
defaults, which is on.
"""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

MEGABYTE = 1024 * 1024
CGROUP_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - its size is read, nothing is written there


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What the server may use. Units: bytes."""

    memory: int
    shared_memory: int
    processors: int


def read_machine() -> Machine:
    """Read this machine's size, or its container's where that is smaller."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for path in CGROUP_LIMITS:
        if path.exists() and (limit := path.read_text().strip()).isdigit():
            memory = min(memory, int(limit))
    return Machine(
        memory=memory,
        shared_memory=shutil.disk_usage(SHARED_MEMORY).total if SHARED_MEMORY.is_dir() else 0,
        processors=processors(),
    )


def processors() -> int:
    """Return how many processors this process may use."""
    # macOS has no affinity to ask for.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _share(memory: int, *, divisor: int, least: int, most: int) -> str:
    return f"{min(max(memory // divisor // MEGABYTE, least), most)}MB"


def tune(machine: Machine) -> dict[str, str]:
    """Return the settings that depend on the machine's size."""
    memory, cores = machine.memory, machine.processors
    maintenance = _share(memory, divisor=16, least=64, most=2048)
    # Parallel index builds share this much memory; containers often have only 64 MB of it.
    enough = machine.shared_memory >= 2 * MEGABYTE * int(maintenance.removesuffix("MB"))
    return {
        "shared_buffers": _share(memory, divisor=8, least=128, most=4096),
        "effective_cache_size": _share(memory, divisor=2, least=256, most=1024 * 1024),
        "work_mem": _share(memory, divisor=384, least=16, most=128),
        "maintenance_work_mem": maintenance,
        "dynamic_shared_memory_type": "posix" if enough else "mmap",
        "max_worker_processes": str(max(8, cores + 4)),
        "max_parallel_workers": str(cores),
        "max_parallel_workers_per_gather": str(min(4, cores // 2)),
        "max_parallel_maintenance_workers": str(min(4, cores)),
    }


FIXED = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "password_encryption": "scram-sha-256",
    # Web threads, workers and commands, with room for a burst of publishers.
    "max_connections": "300",
    "jit": "off",
    "random_page_cost": "1.1",
    "min_wal_size": "256MB",
    "max_wal_size": "2GB",
    "wal_compression": "pglz",
    "checkpoint_timeout": "10min",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "logging_collector": "on",
    "log_filename": "postgresql-%a.log",
    "log_rotation_age": "1d",
    "log_truncate_on_rotation": "on",
    # Statements carry people's questions and documents' text; neither may reach a log.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_parameter_max_length_on_error": "0",
}


def server_settings(machine: Machine, *, socket_folder: Path, log_folder: Path) -> dict[str, str]:
    """Return every setting of the embedded server."""
    # unix_socket_directories is a list: quotes keep a folder with a comma or a space whole.
    listed = '"' + str(socket_folder).replace('"', '""') + '"'
    places = {"unix_socket_directories": listed, "log_directory": str(log_folder)}
    return FIXED | tune(machine) | places


def configuration_text(values: dict[str, str]) -> str:
    """Spell settings as a PostgreSQL configuration file."""
    lines = [f"{name} = '{_escape(value)}'" for name, value in values.items()]
    return "\n".join(["# Written at every start; put your own lines into local.conf.", *lines, ""])


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace("'", "''")
