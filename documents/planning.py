"""Where a publication would lie among those that stand and those that wait. It changes nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from documents.intervals import EffectiveInterval, interval_of
from documents.models import PublicationOrder, Revision


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """When a revision is to come into force.

    `starts_at=None` means as soon as it is ready. A start in the past needs a reason and is marked
    as entered late. `ends_at` is known beforehand only where history is imported.
    """

    starts_at: datetime | None = None
    ends_at: datetime | None = None
    reason: str = ""
    replace_scheduled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationPlan:
    """What publishing would do: shown before confirming."""

    interval: EffectiveInterval
    ended: tuple[int, ...]  # numbers of the revisions whose end moves
    cancelled: tuple[int, ...]  # numbers of scheduled or waiting revisions that would never start
    entered_late: bool
    replaced: tuple[int, ...] = ()  # numbers of those with the same start: never in force
    awaited: tuple[int, ...] = ()  # numbers of those that end it at their start, once ready


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """A plan and what storing it takes.

    `stored` leaves out the ends that waiting revisions would set: they set them when they are
    ready, so that one whose file cannot be read leaves no gap.
    """

    plan: PublicationPlan
    stored: EffectiveInterval
    changes: tuple[tuple[Revision, EffectiveInterval], ...]
    cancelled_orders: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Waiting:
    """A waiting order, and the earliest moment at which it can begin."""

    order: PublicationOrder
    earliest: datetime
    is_late: bool
    is_known: bool  # whether it begins at that moment however long its file takes

    @property
    def number(self) -> int:
        return self.order.revision.number


def place(
    revision: Revision,
    publication: Publication,
    *,
    start: datetime,
    now: datetime,
    decided_at: datetime,
) -> Placement:
    """Place an interval: what it ends, what ends it, what it cancels.

    Orders given after `decided_at` are newer decisions and stay as they are.
    """
    placement = _among_published(_published_others(revision), publication, start=start, now=now)
    orders = (
        PublicationOrder.objects.filter(
            revision__document=revision.document_id, ordered_at__lte=decided_at
        )
        .exclude(revision_id=revision.pk)
        .select_related("revision")
        .defer("revision__text", "revision__layout")
    )
    waiting = sorted((_waiting(order, now) for order in orders), key=lambda one: one.earliest)
    return _among_waiting(placement, waiting, publication)


def _published_others(revision: Revision) -> list[Revision]:
    return list(
        Revision.objects.without_text()
        .filter(document=revision.document_id, retracted_at=None, effective__isempty=False)
        .exclude(pk=revision.pk)
        .order_by("effective")
    )


def _among_published(
    others: list[Revision], publication: Publication, *, start: datetime, now: datetime
) -> Placement:
    end = publication.ends_at
    changes: list[tuple[Revision, EffectiveInterval]] = []
    ended: list[int] = []
    replaced: list[int] = []
    cancelled: list[int] = []
    for other in others:
        interval = interval_of(other.effective)
        if interval is None:
            continue
        if interval.start > start:
            if end is not None and interval.start >= end:
                continue
            if publication.replace_scheduled and interval.start > now:
                changes.append((other, EffectiveInterval(interval.start, interval.start)))
                cancelled.append(other.number)
            else:
                end = interval.start
        elif interval.contains(start) and not (end is not None and end <= start):
            changes.append((other, interval.ended_at(start)))
            (replaced if interval.start == start else ended).append(other.number)
    stored = EffectiveInterval(start, end if end is None else max(start, end))
    plan = PublicationPlan(
        interval=stored,
        ended=tuple(ended),
        cancelled=tuple(cancelled),
        entered_late=start < now,
        replaced=tuple(replaced),
    )
    return Placement(plan=plan, stored=stored, changes=tuple(changes), cancelled_orders=())


def _waiting(order: PublicationOrder, now: datetime) -> _Waiting:
    begins = order.starts_at
    is_late = begins is not None and begins < order.ordered_at
    earliest = now if begins is None else begins if is_late else max(begins, now)
    is_known = begins is not None and (is_late or begins > now)
    return _Waiting(order=order, earliest=earliest, is_late=is_late, is_known=is_known)


def _among_waiting(
    placement: Placement, waiting: Iterable[_Waiting], publication: Publication
) -> Placement:
    start, end = placement.stored.start, placement.stored.end
    later: list[_Waiting] = []
    cancelled: list[_Waiting] = []
    ended: list[int] = []
    replaced: list[int] = []
    for one in waiting:
        if (one.order.starts_at or one.order.ordered_at) <= start:
            if one.order.ends_at is None or one.order.ends_at > start:
                (ended if one.earliest < start else replaced).append(one.number)
        elif end is not None and one.earliest >= end:
            continue
        elif publication.replace_scheduled and not one.is_late:
            cancelled.append(one)
        else:
            later.append(one)
            end = one.earliest if one.is_known else end
    plan = placement.plan
    return replace(
        placement,
        plan=replace(
            plan,
            interval=EffectiveInterval(start, end),
            ended=(*plan.ended, *ended),
            replaced=(*plan.replaced, *replaced),
            cancelled=(*plan.cancelled, *(one.number for one in cancelled)),
            awaited=tuple(one.number for one in later),
        ),
        cancelled_orders=tuple(one.order.pk for one in cancelled),
    )
