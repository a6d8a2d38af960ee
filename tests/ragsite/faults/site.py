"""A whole site in a state directory of its own: started as people start it, used over HTTP."""

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from celery import Celery
from psycopg.rows import dict_row

from ragsite.embedded.folders import broker_folders
from ragsite.embedded.server import EmbeddedPostgres
from tests.ragsite.embedded_servers import PROJECT_FOLDER
from tests.ragsite.faults.edges import armed, disarm

LIMIT_SECONDS = 150.0
GROUP = "fault-tests"
PREPARE = f"""
import django
django.setup()
from django.contrib.auth.models import User
from documents import grants
from documents.audit import Operator
from documents.tokens import create_token
from documents.visibility import MANAGE
operator = Operator("fault tests")
user = User.objects.create_user("editor")
group = grants.create_group(slug="{GROUP}", name="Faults", reach="listed", acted_by=operator)
grants.grant(group, MANAGE, to=user, acted_by=operator)
scopes = ["read", "ask", "write"]
print(create_token(user=user, name="t", scopes=scopes, expires_at=None, acted_by=user)[1])
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """A text that the site has said it took in, or took in before it was killed."""

    document: str
    title: str
    text: str


@dataclass(slots=True, kw_only=True)
class Site:
    """A running site; `settings` says how hurried it is."""

    state: Path
    port: int
    settings: str
    workers: int = 2
    token: str = ""
    accepted: list[Accepted] = field(default_factory=list)

    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "RAGSITE_STATE_DIR": str(self.state),
            "DATABASE_URL": "",
            "DJANGO_SETTINGS_MODULE": self.settings,
            "RAGSITE_WRITES_PER_MINUTE": "100000",
            "RAGSITE_WORKERS": str(self.workers),
        }

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(  # noqa: S603 - this project's own code
            [sys.executable, *arguments],
            cwd=PROJECT_FOLDER,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT_SECONDS,
        )

    def start_command(self, *arguments: str) -> "subprocess.Popen[str]":
        """Start a command of the site beside it."""
        return subprocess.Popen(  # noqa: S603 - this project's own code
            [sys.executable, "manage.py", *arguments],
            cwd=PROJECT_FOLDER,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def deliver(self, work_id: int, *, times: int) -> None:
        """Put messages about a step into the broker, as if it had doubled them."""
        app = Celery(broker="filesystem://", broker_transport="ragsite.broker.FolderTransport")
        app.conf.broker_transport_options = broker_folders(self.state)
        for _ in range(times):
            app.send_task("documents.take_step", [work_id], ignore_result=True)

    def query(self, sql: str, *parameters: object) -> list[dict[str, Any]]:
        """Ask the database, once the product has brought it back where it was killed."""
        began = time.monotonic()
        while True:
            try:
                return self._query(sql, parameters)
            except psycopg.OperationalError:
                assert time.monotonic() - began < LIMIT_SECONDS
                self.is_ready()
                time.sleep(0.1)

    def _query(self, sql: str, parameters: Sequence[object]) -> list[dict[str, Any]]:
        at = EmbeddedPostgres(self.state).address()
        with psycopg.connect(
            host=at.host, user=at.user, password=at.password, dbname=at.database
        ) as connection:
            connection.read_only = True
            cursor = connection.cursor(row_factory=dict_row)
            return cursor.execute(sql, parameters).fetchall()

    def is_ready(self) -> bool:
        try:
            return self._send("GET", "/readyz", None)[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def create_document(self, slug: str, title: str) -> str:
        body = {"title": title, "slug": slug, "visibility_group": GROUP}
        status, answer = self._send("POST", "/api/v1/documents", body)
        assert status == 201, answer
        return str(answer["id"])

    def upload(self, document: str, *, title: str, text: str) -> None:
        """Send a text as often as it takes, as a program does that was not answered."""
        body = {"text": text, "name": "text.md", "publish": "now"}
        status, answer = self._send_until_answered(f"/api/v1/documents/{document}/revisions", body)
        assert status == 201 or answer["code"] == "duplicate_revision", answer
        self.accepted.append(Accepted(document=document, title=title, text=text))

    def await_finished(self) -> None:
        """Wait until every armed fault has struck and no step is owed any more."""
        await_that(lambda: not armed(self.state), what=lambda: str(armed(self.state)))
        owed = "SELECT id, step, state, deaths FROM documents_work WHERE state IN ('owed','leased')"
        await_that(lambda: not self.query(owed), what=lambda: str(self.query(owed)))

    def _send_until_answered(self, path: str, body: Mapping[str, object]) -> tuple[int, Any]:
        began = time.monotonic()
        while True:
            try:
                status, answer = self._send("POST", path, body)
            except (OSError, http.client.HTTPException):
                status, answer = 0, None
            if 0 < status < 500:
                return status, answer
            assert time.monotonic() - began < LIMIT_SECONDS, (status, answer)
            time.sleep(0.1)

    def _send(self, method: str, path: str, body: Mapping[str, object] | None) -> tuple[int, Any]:
        request = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        try:
            content = None if body is None else json.dumps(body)
            request.request(method, path, content, headers)
            response = request.getresponse()
            answer = response.read()
        finally:
            request.close()
        return response.status, json.loads(answer)


def await_that(
    condition: Callable[[], bool], *, what: Callable[[], str] = str, pause_seconds: float = 0.1
) -> None:
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < LIMIT_SECONDS, what()
        time.sleep(pause_seconds)


@contextmanager
def started(site: Site) -> Iterator["subprocess.Popen[str]"]:
    """`manage.py start`, until the block ends; whatever it left is stopped."""
    with subprocess.Popen(  # noqa: S603 - this project's own command
        [sys.executable, "manage.py", "start", "--port", str(site.port)],
        cwd=PROJECT_FOLDER,
        env=site.environment(),
        stdout=subprocess.PIPE,
        text=True,
    ) as start:
        assert start.stdout is not None
        try:
            assert f"127.0.0.1:{site.port}/" in start.stdout.readline()
            yield start
        finally:
            disarm(site.state)
            start.terminate()
            start.wait(LIMIT_SECONDS)
            EmbeddedPostgres(site.state).stop()


def prepare(site: Site) -> None:
    """Make the account, its token and the group that the tests upload to."""
    outcome = site.run("-c", PREPARE)
    assert outcome.returncode == 0, outcome.stderr
    site.token = outcome.stdout.strip()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
