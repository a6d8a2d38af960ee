"""Where revisions stand at a moment, in words and as a band of time. No database, no clock."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from documents.intervals import EffectiveInterval
from documents.moments import word_interval
from documents.pages import Bar, RevisionState, StateCode, TimeBand

LABELS: dict[StateCode, str] = {
    "in_force": "In force",
    "scheduled": "Scheduled",
    "ended": "Superseded",
    "withdrawn": "No longer in force",
    "never": "Never in force",
}
BAND = 1000
BAND_EDGE = 40
NARROWEST_BAR = 8
SHORTEST_BAND = timedelta(days=30)

Numbered = tuple[int, EffectiveInterval]


def state_code(
    interval: EffectiveInterval, others: Sequence[Numbered], *, at: datetime
) -> StateCode:
    """Return where a revision stands; `ended` where another revision took its place."""
    if interval.contains(at):
        return "in_force"
    if at < interval.start:
        return "scheduled"
    is_superseded = any(other.start == interval.end for _, other in others)
    return "ended" if is_superseded else "withdrawn"


def state_of(
    interval: EffectiveInterval, others: Sequence[Numbered], *, at: datetime
) -> RevisionState:
    """Return where a revision stands, with its word."""
    code = state_code(interval, others, at=at)
    return RevisionState(code=code, label=LABELS[code])


def pick_standing(revisions: Sequence[Numbered], *, at: datetime) -> Numbered | None:
    """Return what stands for a document: in force, else next to come, else last to end."""
    for numbered in revisions:
        if numbered[1].contains(at):
            return numbered
    coming = [numbered for numbered in revisions if at < numbered[1].start]
    if coming:
        return min(coming, key=lambda numbered: numbered[1].start)
    return max(revisions, key=lambda numbered: numbered[1].start, default=None)


def draw_band(
    revisions: Sequence[Numbered], *, at: datetime, now: datetime | None = None
) -> TimeBand:
    """Return the intervals of a document on one line, with the moment asked about.

    The states are those of `now` where it is given, else of the moment asked about.
    """
    seen_at = now or at
    moments = [at, *(interval.start for _, interval in revisions)]
    moments += [interval.end for _, interval in revisions if interval.end is not None]
    first, last = min(moments), max(moments)
    length = max(last - first, SHORTEST_BAND)

    def place(moment: datetime) -> int:
        return BAND_EDGE + round((moment - first) / length * (BAND - 2 * BAND_EDGE))

    bars = []
    for number, interval in revisions:
        start = place(interval.start)
        end = BAND if interval.end is None else place(interval.end)
        state = state_code(interval, revisions, at=seen_at)
        width = max(end - start, NARROWEST_BAR)
        bars.append(Bar(x=start, width=width, state=state, number=number))
    return TimeBand(bars=tuple(bars), at=place(at), label=_word_band(revisions, at=seen_at))


def _word_band(revisions: Sequence[Numbered], *, at: datetime) -> str:
    words = [
        f"revision {number} {LABELS[state_code(interval, revisions, at=at)].lower()}, "
        f"{word_interval(interval, at=at)}"
        for number, interval in revisions
    ]
    return "Timeline: " + "; ".join(words) if words else "No revisions"
