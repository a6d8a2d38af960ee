"""Work that is done again when its database went away, and only then."""

import pytest
from celery.signals import worker_ready
from django.db import OperationalError, connection, transaction

from documents import tasks
from ragsite import outlasting as module
from ragsite.outlasting import outlasting

pytestmark = pytest.mark.db(transaction=True)


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    monkeypatch.setattr(module, "PAUSES_SECONDS", (0, 0))


class Losing:
    """Loses its connection in each of its first runs."""

    def __init__(self, losses):
        self.losses = losses
        self.runs = 0

    def __call__(self):
        self.runs += 1
        with transaction.atomic(), connection.cursor() as cursor:
            if self.runs <= self.losses:
                cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
            cursor.execute("SELECT 7")
            return cursor.fetchone()[0]


def test_action_is_done_again_until_the_database_stays():
    action = Losing(2)
    assert (outlasting(action), action.runs) == (7, 3)


def test_database_that_stays_away_is_an_error():
    with pytest.raises(OperationalError):
        outlasting(Losing(3))


def test_refusal_of_a_living_database_is_an_error_at_once():
    runs = []

    def ask_too_long():
        runs.append(1)
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = '10ms'; SELECT pg_sleep(1)")

    with pytest.raises(OperationalError):
        outlasting(ask_too_long)
    assert runs == [1]


def test_worker_sends_a_sweep_when_it_starts(monkeypatch):
    sent = []
    monkeypatch.setattr(tasks.sweep, "apply_async", lambda **options: sent.append(options))

    worker_ready.send(sender=None)
    assert sent == [{"retry": False}]
