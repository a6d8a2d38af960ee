"""Starts, finds and stops the embedded PostgreSQL. Knows nothing of Django.

Any number of processes may use one state directory. The first to need the server starts it, the
last to leave stops it, and whoever finds it dead starts it again. Three locks carry this: `control`
is held alone while the server is started or stopped, `users` is shared by every process that uses
it, and `server` is inherited by the server's own processes, so that it is held exactly as long as
one of them lives, whatever a leftover pid file says.
"""

import atexit
import fcntl
import os
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ragsite.embedded.accounts import find_account, remove_as, run_as
from ragsite.embedded.binaries import find_programs
from ragsite.embedded.cluster import (
    DATA,
    DATABASE,
    ROLE,
    Cluster,
    create_files,
    provision,
    write_settings,
)
from ragsite.embedded.errors import EmbeddedPostgresError
from ragsite.embedded.folders import (
    SOCKET_NAME,
    account_folder,
    find_socket_folder,
    kept_secret,
    prepare_state_folder,
    private_folder,
    socket_folder,
)
from ragsite.embedded.locks import exclusive, is_held, open_lock, share, try_alone
from ragsite.embedded.orphans import end_orphans
from ragsite.embedded.tuning import read_machine, server_settings

DEFAULT_ACCOUNT = "nobody"
POLL_SECONDS = 0.02
REPORT_SECONDS = 3.0
STOP_SECONDS = 60
ORPHAN_GRACE_SECONDS = 3.0
ORPHAN_LIMIT_SECONDS = 60.0
START_LOG = "start.log"


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """What a client needs to connect; `repr` keeps the password to itself."""

    host: str
    user: str
    password: str
    database: str

    def __repr__(self) -> str:
        return f"Address(host={self.host!r}, database={self.database!r})"


def report_on_stderr(message: str) -> None:
    """Say something on standard error: standard output belongs to the command."""
    sys.stderr.write(f"{message}\n")


class EmbeddedPostgres:
    """The embedded server of one state directory."""

    def __init__(
        self,
        state_folder: Path,
        *,
        account: str = DEFAULT_ACCOUNT,
        report: Callable[[str], None] = report_on_stderr,
    ) -> None:
        """Remember where the server is; nothing is read or started yet."""
        self.state_folder = state_folder
        self._account_name = account
        self._report = report
        self._users_lock: int | None = None
        self._holder: int | None = None

    def address(self) -> Address:
        """Return where the server is or will be.

        Call `hold` first, and `ensure_running` when connecting there fails.
        """
        folder = prepare_state_folder(self.state_folder)
        return Address(
            host=str(find_socket_folder(folder / "postgres")),
            user=ROLE,
            password=kept_secret(folder, "postgres-ragsite"),
            database=DATABASE,
        )

    def hold(self) -> None:
        """Count this process among the server's users until it exits, however it exits."""
        if self._users_lock is not None:
            return
        self._users_lock = open_lock(self._locks() / "users")
        share(self._users_lock)
        self._holder = os.getpid()
        atexit.register(self.release)

    def release(self) -> None:
        """Stop counting this process among the users; the last one stops the server."""
        # A forked child leaves with its parent's lock, which is not its own to give up.
        if self._users_lock is None or self._holder != os.getpid():
            return
        atexit.unregister(self.release)
        with exclusive(self._locks() / "control"):
            if try_alone(self._users_lock):
                self._stop()
            os.close(self._users_lock)
            self._users_lock = None

    def ensure_running(self) -> None:
        """Return when the server takes connections, starting it if it does not run.

        Raises: EmbeddedPostgresError saying what to change when it cannot.
        """
        with exclusive(self._locks() / "control"):
            cluster = self._cluster()
            superuser_password = kept_secret(self.state_folder, "postgres-superuser")
            create_files(cluster, superuser_password=superuser_password)
            sockets = socket_folder(cluster.folder, cluster.account)
            if not self._listens(sockets):
                self._stop()
                self._start(cluster, sockets)
            self._await_ready(cluster)
            provision(
                socket_folder=sockets,
                superuser_password=superuser_password,
                role_password=kept_secret(self.state_folder, "postgres-ragsite"),
            )

    def stop(self) -> bool:
        """Stop the server whoever uses it; say whether it ran."""
        if not (self.state_folder / "postgres" / "data").exists():
            return False
        with exclusive(self._locks() / "control"):
            return self._stop()

    def is_running(self) -> bool:
        """Say whether any process of the server lives."""
        return is_held(self.state_folder / "locks" / "server")

    def _locks(self) -> Path:
        return private_folder(prepare_state_folder(self.state_folder) / "locks")

    def _cluster(self) -> Cluster:
        account = find_account(self._account_name)
        folder = account_folder(prepare_state_folder(self.state_folder) / "postgres", account)
        return Cluster(account=account, folder=folder, programs=find_programs(account, folder))

    def _pg_ctl(
        self, cluster: Cluster, *arguments: str | Path, keep_open: int | None = None
    ) -> int:
        outcome = run_as(
            cluster.account,
            [cluster.programs / "pg_ctl", f"--pgdata={DATA}", *arguments],
            cwd=cluster.folder,
            keep_open=() if keep_open is None else (keep_open,),
        )
        return outcome.returncode

    def _listens(self, sockets: Path) -> bool:
        """Say whether a living server is behind the socket.

        The number in a pid file proves nothing: it may be a stranger's by now, or that of a killed
        server which its parent has not yet buried. Only a server accepts on the socket.
        """
        if not self.is_running():
            return False
        with socket.socket(socket.AF_UNIX) as client:
            try:
                client.connect(str(sockets / SOCKET_NAME))
            except (ConnectionRefusedError, FileNotFoundError):
                return False
        return True

    def _stop(self) -> bool:
        """Stop the server, and end what is left of one that was killed."""
        if not self.is_running():
            return False
        cluster = self._cluster()
        sockets = find_socket_folder(cluster.folder)
        # A killed server leaves its socket behind; one whose temporary files somebody cleared has
        # none, lives, and can only be reached by its number.
        if self._listens(sockets) or not (sockets / SOCKET_NAME).exists():
            self._pg_ctl(cluster, "stop", "--mode=fast", "--wait", f"--timeout={STOP_SECONDS}")
        self._await_last_process(cluster)
        return True

    def _start(self, cluster: Cluster, sockets: Path) -> None:
        # The kernel has said that no process of the server is left: what it kept its number in is a
        # leftover, and the number may by now be somebody else's.
        for leftover in (
            "data/postmaster.pid",
            sockets / SOCKET_NAME,
            sockets / f"{SOCKET_NAME}.lock",
        ):
            remove_as(cluster.account, cluster.folder / leftover)
        run_as(cluster.account, ["/bin/mkdir", "-p", "--", sockets, cluster.log_folder])
        settings = server_settings(
            read_machine(), socket_folder=sockets, log_folder=cluster.log_folder
        )
        write_settings(cluster, settings)
        remove_as(cluster.account, cluster.folder / START_LOG)
        lock = open_lock(self._locks() / "server")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._pg_ctl(cluster, "start", "--no-wait", f"--log={START_LOG}", keep_open=lock)
        finally:
            os.close(lock)

    def _await_ready(self, cluster: Cluster) -> None:
        """Wait while the server starts or recovers; only its death ends the wait early."""
        pid_file = cluster.data_folder / "postmaster.pid"
        began = reported = time.monotonic()
        while True:
            lines = _lines(pid_file)
            if len(lines) > 7 and lines[7].strip() == "ready":  # noqa: PLR2004 - pg_ctl's own test
                return
            if not self.is_running():
                raise EmbeddedPostgresError(
                    "PostgreSQL did not start. Its log says:\n" + _last_words(cluster)
                )
            if time.monotonic() - reported > REPORT_SECONDS:
                reported = time.monotonic()
                self._report(
                    f"PostgreSQL is starting, after a crash it recovers first "
                    f"({reported - began:.0f} s)."
                )
            time.sleep(POLL_SECONDS)

    def _await_last_process(self, cluster: Cluster) -> None:
        """Wait until the processes that a killed server left behind are gone too.

        An idle one notices at once; one that computes may not for a long time, and is told to.
        """
        began = time.monotonic()
        while self.is_running():
            waited = time.monotonic() - began
            if waited > ORPHAN_LIMIT_SECONDS:
                raise EmbeddedPostgresError(
                    f"Processes of an earlier PostgreSQL still use {cluster.data_folder} after "
                    f"{waited:.0f} s. End them, then try again."
                )
            if waited > ORPHAN_GRACE_SECONDS:
                end_orphans(cluster.data_folder, uid=cluster.account.uid)
            time.sleep(POLL_SECONDS)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except FileNotFoundError:
        return []


def _last_words(cluster: Cluster) -> str:
    logs = sorted(cluster.log_folder.glob("*.log"), key=lambda path: path.stat().st_mtime)
    said = [_lines(path)[-8:] for path in [cluster.folder / START_LOG, *logs[-1:]]]
    return "\n".join(line for lines in said for line in lines)
