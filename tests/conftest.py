"""What every test stands on: markers, a closed network, a clock to set, the cast."""

from __future__ import annotations

import copy
import os
import signal
import socket
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.db import transaction
from django.utils import timezone

from tests.fakes import FakeEmbedder
from tests.searching import fake_model, indexing_builders
from tests.world import World, build_world

ROOT = Path(__file__).resolve().parent.parent
DATA_DIR = ROOT.parent / "shared" / "data"
LOOPBACK = {"localhost", "127.0.0.1", "::1", ""}


class NetworkClosed(RuntimeError):
    """A test tried to reach another machine."""


def pytest_configure():
    """End a run that is told to stop as Ctrl-C ends it: servers that tests started stop too."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Let the marker `db` open the database, and mark every test that opens it so.

    `@pytest.mark.db(transaction=True)` commits for real, as threads and processes need.
    """
    for item in items:
        marker = item.get_closest_marker("db")
        if marker is not None:
            item.add_marker(pytest.mark.django_db(*marker.args, **marker.kwargs))
        elif item.get_closest_marker("django_db") or "db" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.db)


@pytest.fixture(autouse=True, scope="session")
def closed_network() -> Iterator[None]:
    """Refuse every connection that leaves the machine: the product works offline."""
    original = socket.socket.connect

    def connect(self: socket.socket, address) -> None:
        if self.family != socket.AF_UNIX and str(address[0]) not in LOOPBACK:
            raise NetworkClosed(f"a test tried to connect to {address!r}")
        original(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", connect)
        yield


def require_or_skip(name: str, present: bool, reason: str) -> None:
    """Skip a test whose surroundings are absent, or fail it where they are required.

    RAGSITE_TESTS_REQUIRE holds comma-separated names (`browser,data`) that must be there.
    """
    if present:
        return
    required = os.environ.get("RAGSITE_TESTS_REQUIRE", "").split(",")
    if name in {word.strip() for word in required}:
        pytest.fail(f"{name} is required here: {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The corpora beside the repository, which are no part of it."""
    require_or_skip("data", DATA_DIR.is_dir(), f"no corpora at {DATA_DIR}")
    return DATA_DIR


class Clock:
    """The moment that `timezone.now()` gives; it moves only when told to."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self) -> datetime:
        """Stand in for `django.utils.timezone.now`."""
        return self.at

    def advance(self, **by: float) -> datetime:
        """Move on by a timedelta's arguments and return the new moment."""
        self.at += timedelta(**by)
        return self.at


@pytest.fixture
def frozen_clock(monkeypatch) -> Clock:
    """Stop the clock at the present second."""
    clock = Clock(timezone.now().replace(microsecond=0))
    monkeypatch.setattr(timezone, "now", clock.now)
    return clock


@pytest.fixture
def fake_index() -> Iterator[FakeEmbedder]:
    """Index and search with the fake model for as long as the test runs."""
    with fake_model() as model:
        yield model


@pytest.fixture
def world(db) -> World:
    """The cast, its groups and its documents, made for this test: see tests/world.py."""
    return build_world()


@pytest.fixture(scope="module")
def cast_of_module(django_db_setup, django_db_blocker) -> Iterator[World]:
    """The cast, made once in a transaction around all tests of a module."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield build_world()
        transaction.set_rollback(True)


@pytest.fixture
def shared_world(cast_of_module: World, db) -> World:
    """The cast as `world` has it, made once a module; what a test changes is rolled back.

    For modules in which every test wants it and none commits: all of them see its rows.
    """
    return copy.deepcopy(cast_of_module)


@pytest.fixture(scope="module")
def searchable_cast(django_db_setup, django_db_blocker) -> Iterator[World]:
    """The cast, indexed with a fake model, made once in a transaction around a module's tests."""
    with django_db_blocker.unblock(), indexing_builders(), transaction.atomic():
        yield build_world()
        transaction.set_rollback(True)


@pytest.fixture
def searchable_world(searchable_cast: World, db) -> World:
    """The cast as `shared_world` has it, whose texts can be searched; builders index too."""
    return copy.deepcopy(searchable_cast)
