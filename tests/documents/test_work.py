"""Owed steps: leases, fences, deaths, failures, and the hints that may get lost."""

import threading
from contextlib import nullcontext
from datetime import timedelta
from typing import Any

import pytest
from celery import current_app
from django.db import OperationalError, connection, transaction
from django.utils import timezone

from documents import services, tasks, work
from documents.models import Revision, Work
from documents.work import LeaseLost, StepFailed, StepWaits
from tests.builders import OPERATOR, add_text, build_document, build_group

pytestmark = pytest.mark.db

STEP = "step_of_a_test"
State = Work.State


@pytest.fixture
def revision(db):
    document = build_document("Rules", "First text.", build_group("lab"))
    revision = add_text(document, "Second text.")
    Work.objects.filter(revision=revision).delete()
    return revision


@pytest.fixture
def step(revision, monkeypatch):
    """A step owed to the revision; the test says what it does."""

    class Step:
        calls = 0
        row = work.owe(revision.pk, STEP)

        def does(self, action):
            self.action = action

        def __call__(self, lease):
            self.calls += 1
            self.action(lease)

        def take(self):
            return work.take_step(self.row.pk)

        @property
        def stored(self):
            return Work.objects.get(pk=self.row.pk)

    made = Step()
    made.does(work.complete)
    monkeypatch.setitem(work._STEPS, STEP, made)
    return made


def lease_of(step) -> work.Lease:
    lease = work._lease(step.row.pk)
    assert lease is not None
    return lease


def stored(revision):
    return Revision.objects.get(pk=revision.pk)


def test_step_is_done_once_however_often_it_is_delivered(step):
    assert [step.take() for _ in range(5)] == [True, False, False, False, False]
    assert step.calls == 1
    assert (step.stored.state, step.stored.attempts) == (State.DONE, 1)
    assert step.stored.finished_at is not None


def test_delivery_while_the_step_runs_does_nothing(step):
    taken: list[bool] = []

    def run(lease):
        taken.extend(step.take() for _ in range(5))
        work.complete(lease)

    step.does(run)

    assert step.take() is True
    assert taken == [False] * 5
    assert step.calls == 1


def test_vanished_row_is_normal():
    assert work.take_step(123456789) is False


def test_owed_steps_are_taken_oldest_first_up_to_the_limit(step, revision):
    second = add_text(revision.document, "Third text.")
    Work.objects.filter(revision=second).delete()
    work.owe(second.pk, STEP)

    assert work.take_owed(limit=1) == 1
    assert step.stored.state == State.DONE
    assert work.has_unfinished([revision.pk, second.pk])
    assert work.take_owed(limit=10) == 1
    assert not work.has_unfinished([revision.pk, second.pk])
    assert work.take_owed(limit=10) == 0


def test_hint_stands_for_everything_that_is_owed(step, revision):
    second = add_text(revision.document, "Third text.")
    Work.objects.filter(revision=second).delete()
    other = work.owe(second.pk, STEP)

    tasks.take_step(123456789)
    assert (step.stored.state, Work.objects.get(pk=other.pk).state) == (State.DONE, State.DONE)


def test_hint_passes_on_what_it_has_no_time_for(step, revision, monkeypatch):
    sent: list[Any] = []
    monkeypatch.setattr(current_app, "send_task", lambda _, arguments, **__: sent.append(arguments))
    monkeypatch.setattr(work, "TAKE_ON_SECONDS", 0)

    tasks.take_step(123456789)
    assert (step.stored.state, sent) == (State.OWED, [[step.row.pk]])


def test_lease_that_ran_out_is_taken_over_and_counts_a_death(step, frozen_clock):
    lease = lease_of(step)
    frozen_clock.advance(seconds=59)
    assert step.take() is False
    frozen_clock.advance(seconds=2)

    assert step.take() is True
    assert (step.stored.deaths, step.stored.attempts, step.stored.state) == (1, 2, State.DONE)
    with pytest.raises(LeaseLost):
        work.complete(lease)


def test_what_a_worker_died_of_comes_last(step, revision, frozen_clock):
    lease_of(step)
    second = add_text(revision.document, "Third text.")
    Work.objects.filter(revision=second).delete()
    other = work.owe(second.pk, STEP)
    frozen_clock.advance(seconds=61)

    assert list(work.takeable(frozen_clock.at)) == [other, step.row]


def test_three_deaths_quarantine_the_file(step, revision, frozen_clock):
    for _ in range(3):
        lease_of(step)
        frozen_clock.advance(seconds=61)

    assert step.take() is False
    assert (step.stored.state, step.stored.deaths) == (State.QUARANTINED, 3)
    assert stored(revision).status == Revision.Status.QUARANTINED
    assert stored(revision).failure_code == "quarantined"
    assert "died 3 times" in stored(revision).failure_message
    assert step.take() is False


def test_result_of_a_lost_lease_is_rolled_back(step, revision):
    def run(lease):
        with transaction.atomic():
            Revision.objects.filter(pk=revision.pk).update(text="half")
            Work.objects.filter(pk=lease.work_id).update(fence=lease.fence + 1)
            work.complete(lease)

    step.does(run)

    assert step.take() is False
    assert stored(revision).text == ""


def test_failure_ends_step_and_revision_with_its_code(step, revision):
    def fail(lease):
        raise StepFailed("The file holds no text.", code="no_text")

    step.does(fail)

    assert step.take() is True
    assert (step.stored.state, step.stored.failure) == (State.FAILED, "no_text")
    shown = stored(revision)
    assert (shown.status, shown.failure_code) == (Revision.Status.FAILED, "no_text")
    assert shown.failure_message == "The file holds no text."
    assert step.take() is False


def test_failure_after_the_lease_was_lost_changes_nothing(step, revision):
    def run(lease):
        services.cancel_revision(revision, acted_by=OPERATOR)
        raise StepFailed("Too late.", code="no_text")

    step.does(run)

    assert step.take() is False
    assert stored(revision).status == Revision.Status.CANCELLED
    assert step.stored.state == State.CANCELLED


def test_cancelling_during_a_step_keeps_its_result_out(step, revision):
    def run(lease):
        services.cancel_revision(revision, acted_by=OPERATOR)
        work.set_status(lease, Revision.Status.EMBEDDING)

    step.does(run)

    assert step.take() is False
    assert stored(revision).status == Revision.Status.CANCELLED


def break_down(lease):
    raise RuntimeError("a bug")


def test_broken_step_is_owed_again_after_growing_pauses(step, frozen_clock):
    step.does(break_down)
    pauses = []
    for _ in range(2):
        assert step.take() is True
        assert step.stored.state == State.OWED
        pauses.append(step.stored.not_before - frozen_clock.at)
        assert step.take() is False
        frozen_clock.at = step.stored.not_before

    assert pauses == [timedelta(seconds=2), timedelta(seconds=4)]


def wait_for_a_model(lease):
    raise StepWaits("There is no model.", code="no_model")


def test_step_that_waits_is_tried_after_growing_pauses_without_an_end(step, revision, frozen_clock):
    step.does(wait_for_a_model)
    Work.objects.filter(pk=step.row.pk).update(created_at=frozen_clock.at)
    pauses = []
    for _ in range(8):
        assert step.take() is True
        pauses.append((step.stored.not_before - frozen_clock.at).total_seconds())
        assert step.take() is False
        frozen_clock.at = step.stored.not_before

    assert pauses == [5, 5, 10, 20, 40, 80, 120, 120]
    assert (step.stored.state, step.stored.attempts, step.stored.deaths) == (State.OWED, 0, 0)
    assert step.stored.failure == "no_model: There is no model."
    assert list(work.waiting()) == [step.row]
    assert stored(revision).status == Revision.Status.RECEIVED


def test_step_that_waited_goes_on_and_forgets_why(step, revision, frozen_clock):
    step.does(wait_for_a_model)
    step.take()
    frozen_clock.at = step.stored.not_before
    step.does(work.complete)

    assert step.take() is True
    assert (step.stored.state, step.stored.failure) == (State.DONE, "")
    assert not work.waiting().exists()


def test_step_taken_over_while_it_came_to_wait_stays_with_its_new_owner(step, revision):
    def run(lease):
        work.cancel([revision.pk])
        wait_for_a_model(lease)

    step.does(run)
    step.take()
    assert (step.stored.state, step.stored.failure) == (State.CANCELLED, "")


def test_step_that_breaks_three_times_is_quarantined(step, revision, frozen_clock):
    step.does(break_down)
    for _ in range(3):
        assert step.take() is True
        frozen_clock.advance(minutes=1)

    assert step.take() is False
    assert step.stored.state == State.QUARANTINED
    assert "broke 3 times" in stored(revision).failure_message
    assert "a bug" not in stored(revision).failure_message


def test_broken_step_does_not_stop_the_next(step, revision):
    second = add_text(revision.document, "Third text.")
    Work.objects.filter(revision=second).delete()
    other = work.owe(second.pk, STEP)
    step.does(
        lambda lease: break_down(lease) if lease.work_id != other.pk else work.complete(lease)
    )

    assert work.take_owed(limit=10) == 2
    assert Work.objects.get(pk=other.pk).state == State.DONE


def test_time_limit_of_the_database_counts_as_an_attempt(step):
    def run(lease):
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = '10ms'; SELECT pg_sleep(1)")

    step.does(run)

    assert step.take() is True
    assert (step.stored.state, step.stored.attempts) == (State.OWED, 1)
    assert step.stored.not_before > timezone.now()


def test_retrying_owes_the_whole_way_anew(step, revision):
    def fail(lease):
        raise StepFailed("The file holds no text.", code="no_text")

    step.does(fail)
    step.take()
    services.retry_revision(revision, acted_by=OPERATOR)

    assert stored(revision).status == Revision.Status.RECEIVED
    assert (stored(revision).failure_code, stored(revision).failure_message) == ("", "")
    extract = Work.objects.get(revision=revision, step=work.EXTRACT)
    assert extract.state == State.OWED


def test_owing_a_step_anew_makes_an_old_lease_useless(step, revision):
    lease = lease_of(step)
    work.owe(revision.pk, STEP)

    with pytest.raises(LeaseLost):
        work.check_lease(lease)
    assert (step.stored.state, step.stored.attempts, step.stored.deaths) == (State.OWED, 0, 0)


def test_hint_is_sent_after_commit_only(revision, monkeypatch, django_capture_on_commit_callbacks):
    sent: list[Any] = []
    monkeypatch.setattr(current_app, "send_task", lambda *a, **k: sent.append((a, k)))
    with django_capture_on_commit_callbacks(execute=True):
        row = work.owe(revision.pk, STEP)
        assert sent == []

    assert [call[0] for call in sent] == [("documents.take_step", [row.pk])]


def test_unreachable_broker_never_breaks_an_upload(
    revision, monkeypatch, caplog, django_capture_on_commit_callbacks
):
    def unreachable(*_, **__):
        raise ConnectionError("no broker")

    monkeypatch.setattr(current_app, "send_task", unreachable)
    with django_capture_on_commit_callbacks(execute=True):
        added = add_text(revision.document, "Fourth text.")

    assert Work.objects.get(revision=added).state == State.OWED
    assert "the sweep will find the step" in caplog.text


def test_sweep_sends_what_is_owed_again(step, monkeypatch):
    sent: list[Any] = []
    monkeypatch.setattr(tasks.take_step, "delay", sent.append)
    Work.objects.exclude(pk=step.row.pk).delete()

    tasks.sweep()
    assert sent == [step.row.pk]
    step.take()
    sent.clear()
    tasks.sweep()
    assert sent == []


def test_sweep_does_not_flood_the_broker(step, revision, monkeypatch):
    sent: list[Any] = []
    monkeypatch.setattr(tasks.take_step, "delay", sent.append)
    monkeypatch.setattr(tasks, "REMINDERS", 1)
    second = add_text(revision.document, "Third text.")
    work.owe(second.pk, STEP)

    tasks.sweep()
    assert sent == [step.row.pk]


@pytest.mark.parametrize("around", [nullcontext, transaction.atomic])
@pytest.mark.db(transaction=True)
def test_step_whose_database_went_away_is_owed_again_without_an_attempt(
    step, revision, monkeypatch, around
):
    monkeypatch.setattr(work, "GIVE_BACK_PAUSES_SECONDS", (0,))

    def lose_database(lease):
        with around(), connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    step.does(lose_database)

    assert step.take() is True
    assert (step.stored.state, step.stored.attempts, step.stored.deaths) == (State.OWED, 0, 0)
    assert stored(revision).status == Revision.Status.RECEIVED


@pytest.mark.db(transaction=True)
def test_lease_is_renewed_while_the_step_runs(step, monkeypatch):
    extended = []
    renewed = threading.Event()

    class EveryMoment(threading.Event):
        def wait(self, timeout=None):
            return super().wait(timeout and 0.01)

    def extend(lease, *, until):
        extended.append((lease.work_id, until))
        renewed.set()

    def run(lease):
        assert renewed.wait(10)
        work.complete(lease)

    monkeypatch.setattr(threading, "Event", EveryMoment)
    monkeypatch.setattr(work, "_extend", extend)
    step.does(run)

    assert step.take() is True
    assert extended[0][0] == step.row.pk
    assert extended[0][1] > timezone.now() + timedelta(seconds=30)


def test_renewal_moves_only_a_lease_that_is_still_ours(step, frozen_clock):
    lease = lease_of(step)
    until = frozen_clock.at + timedelta(seconds=90)
    work._extend(lease, until=until)
    assert step.stored.lease_until == until

    work.cancel([lease.revision_id])
    work._extend(lease, until=until)
    assert step.stored.lease_until is None


def test_broken_renewal_is_tried_again(step, monkeypatch):
    lease = lease_of(step)
    closed = []

    def away(**_):
        raise OperationalError

    monkeypatch.setattr(Work.objects, "filter", away)
    monkeypatch.setattr("documents.work.connection.close", lambda: closed.append(True))
    work._extend(lease, until=timezone.now())

    assert closed == [True]
