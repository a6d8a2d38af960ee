"""Owed work: leases with fencing, attempts, deaths, the sweep. The broker only carries hints."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from celery import current_app
from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import Case, F, Q, QuerySet, When
from django.utils import timezone

from documents.conf import documents_config
from documents.errors import ProductError
from documents.models import Revision, Work
from documents.signals import status_changed

logger = logging.getLogger(__name__)

EXTRACT = "extract"
INDEX = "index"
TAKE_ON_SECONDS = 5.0
TAKE_ON_STEPS = 100
MAX_FAILURE_CHARS = 1000
GIVE_BACK_PAUSES_SECONDS = (0.5, 1, 2, 4, 8, 16)
SHORTEST_WAIT = timedelta(seconds=5)
LONGEST_WAIT = timedelta(minutes=2)
State = Work.State
Status = Revision.Status


class LeaseLost(ProductError):
    """Somebody else took the step over; what was done is rolled back."""

    code = "lease_lost"


class StepInterrupted(ProductError):
    """What the step needed went away, which says nothing of the file; trying again may help."""

    code = "step_interrupted"


class StepWaits(ProductError):
    """What every step of its kind needs is missing: a fault of the site's, not of the file."""

    code = "step_waits"


class StepFailed(ProductError):
    """The step can never succeed for this file; the code says why."""

    code = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to do one step, until somebody with a higher fence has it."""

    work_id: int
    revision_id: int
    step: str
    fence: int


StepFunction = Callable[[Lease], None]
_STEPS: dict[str, StepFunction] = {}


def register_step(step: str, function: StepFunction) -> None:
    """Say which function does a step; called once by each app when it is ready."""
    _STEPS[step] = function


def owe(revision_id: int, step: str) -> Work:
    """Add a step to what is owed to a revision, or owe it anew, in the caller's transaction."""
    work, made = Work.objects.get_or_create(
        revision_id=revision_id, step=step, defaults={"created_at": timezone.now()}
    )
    if not made:
        Work.objects.filter(pk=work.pk).update(
            state=State.OWED,
            attempts=0,
            deaths=0,
            lease_until=None,
            not_before=None,
            failure="",
            finished_at=None,
            fence=F("fence") + 1,
        )
    transaction.on_commit(lambda: _hint(work.pk))
    return work


def _hint(work_id: int) -> None:
    """Tell a worker at once; where the broker cannot be reached the sweep finds the row."""
    try:
        current_app.send_task("documents.take_step", [work_id], ignore_result=True, retry=False)
    except Exception:  # noqa: BLE001 - whatever a broker raises, an accepted upload stays accepted
        logger.warning("no hint sent; the sweep will find the step", extra={"work_id": work_id})


def lock_steps(revision_ids: Iterable[int]) -> None:
    """Lock the steps of the revisions until the transaction ends, before their document's row."""
    list(Work.objects.select_for_update().filter(revision__in=revision_ids).order_by("pk"))


def owe_again(revision_ids: Iterable[int], step: str) -> None:
    """Owe a step anew to those ready revisions that it was done for; they stay ready meanwhile.

    To be called with the steps locked (`lock_steps`) and the document after them, as in `cancel`.
    """
    done = Work.objects.filter(revision__in=revision_ids, step=step, revision__status=Status.READY)
    for revision_id in done.order_by("pk").values_list("revision", flat=True):
        owe(revision_id, step)


def cancel(revision_ids: Iterable[int]) -> None:
    """Take back every unfinished step of the revisions, in the caller's transaction.

    To be called before the document's row is locked: a step that ends locks its own row first and
    the document's after, and two orders would wait for each other.
    """
    Work.objects.filter(revision__in=revision_ids, state__in=[State.OWED, State.LEASED]).update(
        state=State.CANCELLED, lease_until=None, finished_at=timezone.now(), fence=F("fence") + 1
    )


def takeable(at: datetime) -> QuerySet[Work]:
    """Return the steps that anyone may take now: owed and due, or with a lease that ran out.

    What workers died of comes last: if it was the file, it holds up no other, and if it was not,
    a worker that dies soon after its start does not find the same file in its hands again.
    """
    died = F("deaths") + Case(When(state=State.LEASED, then=1), default=0)
    return (
        Work.objects.alias(died=died)
        .filter(
            Q(state=State.OWED) & (Q(not_before=None) | Q(not_before__lte=at))
            | Q(state=State.LEASED, lease_until__lt=at)
        )
        .order_by("died", "id")
    )


def has_unfinished(revision_ids: list[int]) -> bool:
    """Whether any of these revisions is still owed a step."""
    return Work.objects.filter(
        revision__in=revision_ids, state__in=[State.OWED, State.LEASED]
    ).exists()


def waiting() -> QuerySet[Work]:
    """Return the steps that wait for something the site lacks; their failure names it."""
    return Work.objects.filter(state=State.OWED).exclude(failure="")


def take_step(work_id: int) -> bool:
    """Do one owed step under a lease; return whether this call did it.

    A vanished row, a lease held elsewhere and a step taken over meanwhile are normal: nothing is
    done twice, and nothing raised.
    """
    lease = _lease(work_id)
    if lease is None:
        return False
    opened = connection.connection
    try:
        with _renewed(lease):
            _STEPS[lease.step](lease)
    except LeaseLost:
        logger.info("step taken over", extra={"work_id": work_id})
        return False
    except StepInterrupted as error:
        logger.warning("step interrupted", extra={"work_id": work_id, "reason": error.message})
        _retry_later(lease)
    except StepWaits as error:
        logger.error("step waits", extra={"work_id": work_id, "reason": error.message})  # noqa: TRY400 - no trace needed
        _wait(lease, reason=error)
    except ProductError as error:
        return _fail(lease, code=error.code, message=error.message)
    except (OperationalError, InterfaceError):
        # Leaving a transaction whose connection broke has opened another, which works.
        if connection.connection is opened and connection.is_usable():
            # A deadlock or a time limit: of this step, not of the database.
            logger.warning("step refused by the database", extra={"work_id": work_id})
            _retry_later(lease)
        else:
            logger.warning("database lost during a step", extra={"work_id": work_id})
            _give_back(lease)
    except Exception:
        logger.exception("step broke", extra={"work_id": work_id, "step": lease.step})
        _retry_later(lease)
    return True


def take_owed(*, limit: int) -> int:
    """Take up to `limit` steps in their order, as the import does; return how many."""
    taken = 0
    for work_id in list(takeable(timezone.now()).values_list("pk", flat=True)[:limit]):
        taken += take_step(work_id)
    return taken


def take_on(work_id: int) -> None:
    """Do the step that a hint names, then for a few seconds whatever else is owed.

    A broker may lose hints, or bring them slower than steps are done: any hint stands for all.
    A few seconds only, so that a worker that is told to stop can.
    """
    began = time.monotonic()
    take_step(work_id)
    for other_id in list(takeable(timezone.now()).values_list("pk", flat=True)[:TAKE_ON_STEPS]):
        if time.monotonic() - began > TAKE_ON_SECONDS:
            _hint(other_id)
            return
        take_step(other_id)


def set_status(lease: Lease, status: str) -> None:
    """Show how far the revision has come; commits by itself, and only while the lease holds.

    A ready one stays ready while a step is done for it again: it is searched all the time.
    """
    with transaction.atomic():
        check_lease(lease)
        changed = _unready(lease.revision_id).update(status=status)
    if changed:
        status_changed.send(sender=Revision, revision_id=lease.revision_id, status=status)


def check_lease(lease: Lease) -> None:
    """Lock the row and make sure that the lease is still ours, in the caller's transaction.

    Raises: LeaseLost.
    """
    if _held(lease) is None:
        raise LeaseLost("The lease on this step was lost.")


def _held(lease: Lease) -> Work | None:
    """Return the step while the lease is still ours; locks the row, so that it stays so."""
    return (
        Work.objects.select_for_update()
        .filter(pk=lease.work_id, fence=lease.fence, state=State.LEASED)
        .first()
    )


def complete(lease: Lease) -> None:
    """Mark the step done, in the transaction that holds its result.

    Raises: LeaseLost, which rolls the result back.
    """
    check_lease(lease)
    Work.objects.filter(pk=lease.work_id).update(
        state=State.DONE, lease_until=None, failure="", finished_at=timezone.now()
    )


def _lease(work_id: int) -> Lease | None:
    now = timezone.now()
    config = documents_config()
    with transaction.atomic():
        work = takeable(now).select_for_update(skip_locked=True).filter(pk=work_id).first()
        if work is None:
            return None
        work.deaths += work.state == State.LEASED
        if work.deaths >= config.max_deaths:
            _quarantine(work, f"The work on this file died {work.deaths} times.")
            return None
        work.state = State.LEASED
        work.attempts += 1
        work.fence += 1
        work.lease_until = now + timedelta(seconds=config.lease_seconds)
        work.save(update_fields=["state", "attempts", "deaths", "fence", "lease_until"])
    return Lease(work_id=work.pk, revision_id=work.revision_id, step=work.step, fence=work.fence)


@contextmanager
def _renewed(lease: Lease) -> Iterator[None]:
    """Renew the lease from a thread for as long as the step runs."""
    stopped = threading.Event()
    config = documents_config()

    def renew() -> None:
        try:
            while not stopped.wait(config.lease_renewal_seconds):
                _extend(lease, until=timezone.now() + timedelta(seconds=config.lease_seconds))
        finally:
            connection.close()

    thread = threading.Thread(target=renew, name=f"lease-{lease.work_id}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()


def _extend(lease: Lease, *, until: datetime) -> None:
    """Renew a lease that is still ours; the next turn tries again where the database is away."""
    try:
        Work.objects.filter(pk=lease.work_id, fence=lease.fence, state=State.LEASED).update(
            lease_until=until
        )
    except (OperationalError, InterfaceError):
        connection.close()


def _fail(lease: Lease, *, code: str, message: str) -> bool:
    """End the step and its revision as failed: trying again cannot help.

    Returns: whether the lease was still ours to end.
    """
    with transaction.atomic():
        if _held(lease) is None:
            return False
        Work.objects.filter(pk=lease.work_id).update(
            state=State.FAILED, failure=code, lease_until=None, finished_at=timezone.now()
        )
        changed = _unready(lease.revision_id).update(
            status=Status.FAILED, failure_code=code, failure_message=message[:MAX_FAILURE_CHARS]
        )
    if changed:
        status_changed.send(sender=Revision, revision_id=lease.revision_id, status=Status.FAILED)
    return True


def _retry_later(lease: Lease) -> None:
    """Owe the step again after a pause that grows, or quarantine it after too many attempts."""
    config = documents_config()
    with transaction.atomic():
        work = _held(lease)
        if work is None:
            return
        if work.attempts >= config.max_deaths:
            _quarantine(work, f"The work on this file broke {work.attempts} times; see the log.")
            return
        work.state = State.OWED
        work.lease_until = None
        work.failure = ""
        work.not_before = timezone.now() + timedelta(seconds=2**work.attempts)
        work.save(update_fields=["state", "lease_until", "failure", "not_before"])


def _wait(lease: Lease, *, reason: StepWaits) -> None:
    """Owe the step again without an attempt, after a pause as long as it has been owed so far."""
    with transaction.atomic():
        work = _held(lease)
        if work is None:
            return
        now = timezone.now()
        work.state = State.OWED
        work.attempts -= 1
        work.lease_until = None
        work.not_before = now + min(max(now - work.created_at, SHORTEST_WAIT), LONGEST_WAIT)
        work.failure = f"{reason.code}: {reason.message}"[:MAX_FAILURE_CHARS]
        work.save(update_fields=["state", "attempts", "lease_until", "not_before", "failure"])


def _give_back(lease: Lease) -> None:
    """Owe the step again once the database is back: its fault is no fault of the file.

    Where it stays away, the lease runs out by itself.
    """
    for pause_seconds in GIVE_BACK_PAUSES_SECONDS:
        time.sleep(pause_seconds)
        connection.close()
        try:
            Work.objects.filter(pk=lease.work_id, fence=lease.fence, state=State.LEASED).update(
                state=State.OWED, lease_until=None, attempts=F("attempts") - 1
            )
        except (OperationalError, InterfaceError):
            continue
        return


def _quarantine(work: Work, reason: str) -> None:
    work.state = State.QUARANTINED
    work.lease_until = None
    work.failure = reason
    work.finished_at = timezone.now()
    work.save(update_fields=["state", "lease_until", "failure", "finished_at", "deaths"])
    _unready(work.revision_id).update(
        status=Status.QUARANTINED, failure_code="quarantined", failure_message=reason
    )


def _unready(revision_id: int) -> QuerySet[Revision]:
    return Revision.objects.filter(pk=revision_id).exclude(status=Status.READY)
