"""Properties of intervals: see tests/fuzz/README.md for why."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.errors import InvalidInput
from documents.intervals import EffectiveInterval, interval_of, parse_moment

pytestmark = pytest.mark.fuzz

ZONES = [
    ZoneInfo(name)
    for name in ("Europe/Berlin", "America/Sao_Paulo", "Australia/Lord_Howe", "Asia/Kathmandu")
]
zones = st.sampled_from(ZONES)
FIRST, LAST = datetime(1950, 1, 1), datetime(2090, 1, 1)  # noqa: DTZ001 - zones come later
moments = st.datetimes(min_value=FIRST, max_value=LAST, timezones=zones)


@st.composite
def intervals(draw):
    start, other = draw(moments), draw(st.none() | moments)
    if other is None:
        return EffectiveInterval(start)
    start, other = sorted([start.astimezone(UTC), other.astimezone(UTC)])
    return EffectiveInterval(start, other)


@given(intervals())
def test_database_form_loses_nothing(interval):
    stored = interval_of(interval.as_range())

    assert stored == (None if interval.is_empty else interval)


@given(intervals(), moments, moments)
def test_ending_only_takes_moments_away(interval, end, at):
    ended = interval.ended_at(end)

    assert ended.start == interval.start
    assert ended.contains(at) == (
        interval.contains(at) and at.astimezone(UTC) < end.astimezone(UTC)
    )


@given(st.lists(moments, min_size=1, max_size=8), moments)
def test_chain_of_intervals_has_one_at_each_moment(starts, at):
    ordered = sorted({start.astimezone(UTC) for start in starts})
    chain = [
        EffectiveInterval(start, end)
        for start, end in zip(ordered, [*ordered[1:], None], strict=True)
    ]

    holding = [interval for interval in chain if interval.contains(at)]
    assert len(holding) == (at.astimezone(UTC) >= ordered[0])


@given(st.dates(min_value=FIRST.date()), zones)
def test_days_are_whole_and_in_order(day, zone):
    first = parse_moment(day.isoformat(), zone=zone).astimezone(UTC)
    second = parse_moment((day + timedelta(days=1)).isoformat(), zone=zone).astimezone(UTC)

    assert timedelta(hours=22) <= second - first <= timedelta(hours=26)
    assert first.astimezone(zone).date() == day
    assert (first - timedelta(microseconds=1)).astimezone(zone).date() < day


@given(moments)
def test_written_moments_are_read_back(moment):
    assert parse_moment(moment.isoformat(), zone=ZONES[0]).astimezone(UTC) == moment.astimezone(UTC)


@given(st.datetimes(min_value=FIRST, max_value=LAST), zones)
def test_local_time_is_read_exactly_where_it_exists_once(local, zone):
    readings = {
        reading.astimezone(UTC)
        for reading in (local.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
        if reading.astimezone(UTC).astimezone(zone).replace(tzinfo=None) == local
    }
    try:
        moment = parse_moment(local.isoformat(), zone=zone)
    except InvalidInput as error:
        expected = "nonexistent_moment" if not readings else "ambiguous_moment"
        assert (error.code, len(readings) == 1) == (expected, False)
    else:
        assert readings == {moment.astimezone(UTC)}


@given(st.text())
def test_any_text_is_a_moment_or_refused_with_a_code(text):
    try:
        moment = parse_moment(text, zone=ZONES[0])
    except InvalidInput as error:
        assert error.code in {"invalid_moment", "ambiguous_moment", "nonexistent_moment"}
    else:
        assert moment.astimezone(UTC).tzinfo is UTC
