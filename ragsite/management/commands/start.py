"""Brings up everything on one machine: database, web server, worker and beat."""

import http.client
import os
import signal
import socket
import sys
import time
from argparse import ArgumentParser
from pathlib import Path
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from ragsite.embedded.folders import prepare_state_folder, private_folder
from ragsite.embedded.locks import open_lock, try_alone
from ragsite.static_files import collect_if_outdated
from ragsite.supervision import Child, stop_all

POLL_SECONDS = 0.1


class StopAsked(Exception):
    """Somebody wants this to end."""


class Command(BaseCommand):
    """Runs Ragsite until Ctrl-C or SIGTERM."""

    help = "Start database, web server, worker and beat; stop them all on Ctrl-C."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("--demo", action="store_true", help="add demo documents and accounts")
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument("--port", type=int, default=8000, help="port to listen on")

    def handle(self, *_: object, **options: Any) -> None:
        """Start, watch, stop."""
        _check_port(options["host"], options["port"])
        lock = _claim_state_folder()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, _ask_to_stop)
        children: list[Child] = []
        try:
            connection.ensure_connection()
            if options["demo"]:
                call_command("demo")
            connection.close()
            collect_if_outdated()
            self._run(children, host=options["host"], port=options["port"])
        except StopAsked:
            self.stdout.write("Stopping.")
        finally:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            stop_all(children)
            os.close(lock)

    def _run(self, children: list[Child], *, host: str, port: int) -> None:
        web = Child("web", _web_arguments(host, port))
        children.append(web)
        web.start()
        _await_ready(web, host, port)
        for name, arguments in (("worker", _worker_arguments()), ("beat", _beat_arguments())):
            child = Child(name, arguments)
            children.append(child)
            child.start()
        self.stdout.write(f"Ragsite is ready at {_address(host, port)} (Ctrl-C stops it).")
        self.stdout.flush()
        while True:
            for child in children:
                child.keep_alive()
            time.sleep(POLL_SECONDS)


def _ask_to_stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the signal's shape
    raise StopAsked


def _check_port(host: str, port: int) -> None:
    """Refuse an address that is taken: whoever has it would answer in our place."""
    try:
        with socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET
        ):
            return
    except OSError as error:
        raise CommandError(
            f"Cannot listen on {_address(host, port)} ({error.strerror}). "
            "Name another with --host and --port."
        ) from error


def _claim_state_folder() -> int:
    """Let only one `start` run per state directory, and note its number for `stop`."""
    folder = private_folder(prepare_state_folder(Path(settings.STATE_DIR)) / "locks")
    lock = open_lock(folder / "start")
    if not try_alone(lock):
        os.close(lock)
        raise CommandError(
            "Ragsite already runs with this state directory. Stop it with `make stop`, or set "
            "RAGSITE_STATE_DIR to another folder."
        )
    os.ftruncate(lock, 0)
    os.write(lock, str(os.getpid()).encode())
    return lock


def _web_arguments(host: str, port: int) -> list[str]:
    # No access log: addresses of pages carry people's questions.
    return [
        *(sys.executable, "-m", "uvicorn", "ragsite.asgi:application"),
        *("--host", host, "--port", str(port), "--log-level", "warning", "--no-access-log"),
        *("--lifespan", "off", "--no-server-header", "--no-proxy-headers"),
        *("--timeout-graceful-shutdown", "5"),
    ]


def _celery(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "celery", "--app", "ragsite", "--quiet", *arguments]


def _worker_arguments() -> list[str]:
    return _celery(
        *("worker", "--loglevel", "warning"),
        *("--without-gossip", "--without-mingle", "--without-heartbeat"),
    )


def _beat_arguments() -> list[str]:
    return _celery("beat", "--loglevel", "warning", "--pidfile=")


def _address(host: str, port: int) -> str:
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def _await_ready(web: Child, host: str, port: int) -> None:
    """Wait until /readyz says yes.

    Raises: CommandError when the web server ends before, as it has then said why.
    """
    local = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - compared only
    while not _is_ready(local, port):
        if not web.is_running():
            raise CommandError("The web server ended before it was ready.")
        time.sleep(POLL_SECONDS)


def _is_ready(host: str, port: int) -> bool:
    request = http.client.HTTPConnection(host, port, timeout=10)
    allowed = next((name for name in settings.ALLOWED_HOSTS if name != "*"), "localhost")
    try:
        request.request("GET", "/readyz", headers={"Host": allowed.removeprefix(".")})
        return request.getresponse().status == http.client.OK
    except OSError:
        return False
    finally:
        request.close()
