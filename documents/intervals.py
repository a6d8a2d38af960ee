"""Effective intervals: half-open [start, end) in which a revision is in force. No database here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from documents.errors import InvalidInput

MAX_MOMENT_CHARS = 40


@dataclass(frozen=True, slots=True)
class EffectiveInterval:
    """The half-open interval [start, end); `end=None` is open; start == end is never in force.

    Invariant: both moments are kept in UTC. Python compares two moments of one zone by their wall
    clocks, which is wrong in the hour that an autumn night has twice.
    """

    start: datetime
    end: datetime | None = None

    def __post_init__(self) -> None:
        """Refuse naive moments and an end before the start."""
        object.__setattr__(self, "start", _in_utc(self.start))
        object.__setattr__(self, "end", None if self.end is None else _in_utc(self.end))
        if self.end is not None and self.end < self.start:
            raise InvalidInput("An interval cannot end before it starts.", code="interval_reversed")

    @property
    def is_empty(self) -> bool:
        """Whether no moment lies within."""
        return self.end is not None and self.end == self.start

    def contains(self, at: datetime) -> bool:
        """Whether the interval holds at the moment."""
        moment = _in_utc(at)
        return self.start <= moment and (self.end is None or moment < self.end)

    def ended_at(self, at: datetime) -> EffectiveInterval:
        """Return the interval with its end moved earlier, to `at` at the latest."""
        moment = _in_utc(at)
        end = moment if self.end is None else min(self.end, moment)
        return EffectiveInterval(self.start, max(end, self.start))

    def as_range(self) -> DateTimeTZRange:
        """Return the database's form; an interval without any moment becomes the empty range."""
        if self.is_empty:
            return DateTimeTZRange(empty=True)
        return DateTimeTZRange(self.start, self.end, "[)")


def interval_of(value: DateTimeTZRange | None) -> EffectiveInterval | None:
    """Return the interval of a stored range; None where unpublished or never in force."""
    if value is None or value.isempty or value.lower is None:
        return None
    return EffectiveInterval(value.lower, value.upper)


def parse_moment(text: str, *, zone: ZoneInfo) -> datetime:
    """Return the aware moment that an ISO 8601 date or date-time names.

    A date without a time is the start of that day in `zone`; a time without an offset is local
    time in `zone`, where it must exist exactly once.

    Raises: InvalidInput (`invalid_moment`, `ambiguous_moment`, `nonexistent_moment`).
    """
    words = text.strip()
    if len(words) > MAX_MOMENT_CHARS:
        raise InvalidInput(f"{text[:40]!r}... is too long for a moment.", code="invalid_moment")
    try:
        if len(words) <= len("2026-01-01"):
            day = date.fromisoformat(words)
            _check_year(day, text)
            return _start_of_day(day, zone)
        moment = datetime.fromisoformat(words)
    except ValueError as error:
        raise InvalidInput(
            f"{text[:40]!r} is no date or moment; write 2026-03-29 or 2026-03-29T14:30+02:00.",
            code="invalid_moment",
        ) from error
    _check_year(moment, text)
    if moment.tzinfo is not None:
        return moment
    return _local_moment(moment, zone)


def _check_year(day: date, text: str) -> None:
    # The first and the last year have moments that no other zone can write.
    if not date.min.year < day.year < date.max.year:
        raise InvalidInput(f"{text[:40]!r} is too far away.", code="invalid_moment")


def _in_utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise InvalidInput("A moment needs a time zone.", code="naive_moment")
    return moment.astimezone(UTC)


def _start_of_day(day: date, zone: ZoneInfo) -> datetime:
    # Where midnight is skipped by a change of clocks, the day starts at the first moment after.
    return datetime.combine(day, time.min, tzinfo=zone).astimezone(UTC).astimezone(zone)


def _local_moment(moment: datetime, zone: ZoneInfo) -> datetime:
    early = moment.replace(tzinfo=zone, fold=0)
    late = moment.replace(tzinfo=zone, fold=1)
    if early.utcoffset() == late.utcoffset():
        return early
    there_and_back = early.astimezone(UTC).astimezone(zone).replace(tzinfo=None)
    if there_and_back != moment:
        raise InvalidInput(
            f"{moment.isoformat()} does not exist in {zone.key}: the clocks skip it.",
            code="nonexistent_moment",
        )
    raise InvalidInput(
        f"{moment.isoformat()} happens twice in {zone.key}; add an offset such as "
        f"{early.isoformat()} or {late.isoformat()}.",
        code="ambiguous_moment",
    )
