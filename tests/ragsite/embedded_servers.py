"""Places for embedded servers of tests, and a program that uses one as another process would."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from ragsite.embedded.server import EmbeddedPostgres

PROJECT_FOLDER = Path(__file__).resolve().parent.parent.parent
USE_SERVER = """
import sys
from pathlib import Path
import psycopg
from ragsite.embedded.server import EmbeddedPostgres
server = EmbeddedPostgres(Path(sys.argv[1]))
server.hold()
server.ensure_running()
at = server.address()
with psycopg.connect(
    host=at.host, user=at.user, password=at.password, dbname=at.database
) as connection:
    print(connection.execute("SELECT pg_postmaster_start_time()").fetchone()[0].isoformat())
sys.stdout.flush()
sys.stdin.read()
"""


@contextmanager
def reachable_folder() -> Iterator[Path]:
    """A temporary folder that the server's account can enter; pytest's own are closed to it."""
    folder = Path(tempfile.mkdtemp(prefix="ragsite-test-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def running_server(folder: Path) -> Iterator[EmbeddedPostgres]:
    """A server that runs, and is stopped whatever happens."""
    server = EmbeddedPostgres(folder)
    server.hold()
    try:
        server.ensure_running()
        yield server
    finally:
        server.release()
        server.stop()


def connect(
    server: EmbeddedPostgres,
    *,
    user: str | None = None,
    password: str | None = None,
    dbname: str | None = None,
) -> psycopg.Connection:
    address = server.address()
    return psycopg.connect(
        host=address.host,
        user=user or address.user,
        password=password or address.password,
        dbname=dbname or address.database,
        autocommit=True,
    )


def start_user_process(folder: Path) -> subprocess.Popen[str]:
    """Start a process that uses the server until its standard input is closed."""
    return subprocess.Popen(  # noqa: S603 - this interpreter and the text above
        [sys.executable, "-c", USE_SERVER, str(folder)],
        cwd=PROJECT_FOLDER,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def await_use(process: subprocess.Popen[str]) -> str:
    """Wait until the process has used the server; return when it says that server started."""
    assert process.stdout is not None
    return process.stdout.readline()


def postmaster_pid(folder: Path) -> int:
    return int((folder / "postgres/data/postmaster.pid").read_text().split()[0])
