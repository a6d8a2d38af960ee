"""Moments for people: read from a date control, worded in the organisation's time zone.

Refuses to read the clock: `now` is always given.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time

from django.utils.dateformat import format as format_moment

from documents.conf import organisation_zone
from documents.intervals import EffectiveInterval, parse_moment
from documents.pages import Moment

DAY = "j F Y"
CLOCK = "H:i"
LONGEST_DAY_CHARS = len("2026-01-01")


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedMoment:
    """The moment asked about, and what its control shows.

    `text` is the control's value; `is_changed` says that it is another moment than now.
    """

    at: datetime
    text: str
    is_changed: bool

    @property
    def is_day(self) -> bool:
        """Whether the control can be one for days; else it holds a time of day too."""
        return len(self.text) <= LONGEST_DAY_CHARS


def read_asked_moment(text: str, *, now: datetime) -> AskedMoment:
    """Return the moment that a control's value names; nothing or today's date is now.

    Raises: InvalidInput (`invalid_moment`, `ambiguous_moment`, `nonexistent_moment`).
    """
    words = text.strip()
    today = today_text(now)
    if words in {"", today}:
        return AskedMoment(at=now, text=today, is_changed=False)
    at = parse_moment(words, zone=organisation_zone())
    return AskedMoment(at=at, text=words, is_changed=True)


def today_text(now: datetime) -> str:
    """Return today's date in the organisation's zone, as a date control writes it."""
    return now.astimezone(organisation_zone()).date().isoformat()


def word_moment(moment: datetime) -> Moment:
    """Return a moment in words: the day alone where it is the start of that day."""
    return Moment(iso=moment.isoformat(timespec="seconds"), label=word_day_or_time(moment))


def word_day_or_time(moment: datetime) -> str:
    """Return the day, with the time of day unless the day just starts."""
    local = moment.astimezone(organisation_zone())
    if local.time() == time.min:
        return format_moment(local, DAY)
    return format_moment(local, f"{DAY} \\a\\t {CLOCK}")


def word_day(moment: datetime) -> str:
    """Return the day of a moment."""
    return format_moment(moment.astimezone(organisation_zone()), DAY)


def word_clock(moment: datetime) -> str:
    """Return the time of day of a moment."""
    return format_moment(moment.astimezone(organisation_zone()), CLOCK)


def word_interval(interval: EffectiveInterval, *, at: datetime) -> str:
    """Return an interval in words, as seen from a moment."""
    start = word_day_or_time(interval.start)
    if interval.end is None:
        return f"since {start}" if interval.start <= at else f"from {start}"
    end = word_day_or_time(interval.end)
    return f"until {end}" if interval.contains(at) else f"{start} to {end}"
