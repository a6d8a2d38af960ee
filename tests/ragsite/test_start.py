import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ragsite.embedded.locks import is_held
from ragsite.embedded.server import EmbeddedPostgres
from tests.ragsite.embedded_servers import PROJECT_FOLDER, reachable_folder

LIMIT_SECONDS = 240.0
IMPORT_CELERY = """
import sys
import django
django.setup()
from ragsite.celery import app
app.loader.import_default_modules()
assert "documents.sweep" in app.tasks
print("torch" in sys.modules)
"""

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="the kernel's /proc is read")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def environment(state: Path) -> dict[str, str]:
    return {
        **os.environ,
        "RAGSITE_STATE_DIR": str(state),
        "DATABASE_URL": "",
        "DJANGO_SETTINGS_MODULE": "ragsite.settings.local",
    }


@contextmanager
def started(state: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A running `start`, ready, and the port of its web server."""
    port = free_port()
    with subprocess.Popen(  # noqa: S603 - this project's own command
        [sys.executable, "manage.py", "start", "--port", str(port)],
        cwd=PROJECT_FOLDER,
        env=environment(state),
        stdout=subprocess.PIPE,
        text=True,
    ) as start:
        assert start.stdout is not None
        try:
            said = start.stdout.readline()
            assert f"http://127.0.0.1:{port}/" in said
            yield start, port
        finally:
            start.terminate()
            start.wait(LIMIT_SECONDS)


@pytest.fixture(scope="module")
def state() -> Iterator[Path]:
    """One state directory for all, as a site has: only its first start has much to make."""
    with reachable_folder() as folder:
        yield folder / "state"
        EmbeddedPostgres(folder / "state").stop()


def ready(port: int):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz") as response:
        return response.status == 200


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


def await_that(condition) -> None:
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < LIMIT_SECONDS
        time.sleep(0.1)


@linux_only
@pytest.mark.model
def test_it_starts_restarts_what_dies_and_stops_everything(state):
    with started(state) as (start, port):
        assert ready(port)
        await_that(lambda: all(programs_of(state).values()))
        before = programs_of(state)
        for name in ("worker", "beat"):
            os.kill(min(before[name]), signal.SIGKILL)
        await_that(
            lambda: all(
                numbers and not set(numbers) & set(before[name])
                for name, numbers in programs_of(state).items()
                if name != "uvicorn"
            )
        )
        assert programs_of(state)["uvicorn"] == before["uvicorn"]
        start.send_signal(signal.SIGINT)
        assert start.wait(LIMIT_SECONDS) == 0
    assert programs_of(state) == {"uvicorn": [], "worker": [], "beat": []}
    assert not is_held(state / "locks/server")


@linux_only
@pytest.mark.model
def test_nothing_outlives_a_killed_start_and_the_next_one_begins_at_once(state):
    with started(state) as (start, _):
        await_that(lambda: all(programs_of(state).values()))
        start.kill()
        await_that(lambda: not any(programs_of(state).values()))
    with started(state) as (_, port):
        assert ready(port)


@pytest.mark.model
def test_a_second_start_is_refused_and_stop_ends_the_first(state):
    with started(state) as (start, _):
        second = run_command(state, "start", "--port", str(free_port()))
        assert second.returncode == 1
        assert "already runs" in second.stderr
        assert run_command(state, "stop").stdout.splitlines()[0] == "Ragsite has stopped."
        assert start.wait(LIMIT_SECONDS) == 0
    assert run_command(state, "stop").stdout == ""


def test_a_port_in_use_ends_start_with_a_reason(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        outcome = run_command(tmp_path / "state", "start", "--port", str(taken.getsockname()[1]))
    assert outcome.returncode == 1
    assert "--port" in outcome.stderr
    assert not (tmp_path / "state" / "postgres").exists()


def test_worker_and_beat_code_loads_without_model_libraries(state):
    outcome = subprocess.run(  # noqa: S603 - this interpreter and the text above
        [sys.executable, "-c", IMPORT_CELERY],
        cwd=PROJECT_FOLDER,
        env=environment(state),
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.stdout == "False\n", outcome.stderr


def run_command(state: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - this project's own commands
        [sys.executable, "manage.py", *arguments],
        cwd=PROJECT_FOLDER,
        env=environment(state),
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_SECONDS,
    )
