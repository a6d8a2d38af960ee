"""Half-open intervals and the moments that people write."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from documents.errors import InvalidInput
from documents.intervals import EffectiveInterval, interval_of, parse_moment

BERLIN = ZoneInfo("Europe/Berlin")
SAO_PAULO = ZoneInfo("America/Sao_Paulo")
START = datetime(2026, 1, 1, tzinfo=UTC)
END = datetime(2026, 2, 1, tzinfo=UTC)
MOMENT = timedelta(microseconds=1)


def test_start_is_within_and_end_is_not():
    interval = EffectiveInterval(START, END)

    assert interval.contains(START)
    assert interval.contains(END - MOMENT)
    assert not interval.contains(END)
    assert not interval.contains(START - MOMENT)


def test_open_interval_never_ends():
    assert EffectiveInterval(START).contains(datetime(9000, 1, 1, tzinfo=UTC))


def test_interval_without_length_holds_at_no_moment():
    interval = EffectiveInterval(START, START)

    assert interval.is_empty
    assert not interval.contains(START)
    assert interval.as_range().isempty
    assert interval_of(interval.as_range()) is None


def test_interval_survives_the_form_of_the_database():
    for interval in (EffectiveInterval(START, END), EffectiveInterval(START)):
        assert interval_of(interval.as_range()) == interval


def test_unpublished_has_no_interval():
    assert interval_of(None) is None


def test_end_moves_earlier_only():
    interval = EffectiveInterval(START, END)

    assert interval.ended_at(END + MOMENT) == interval
    assert interval.ended_at(END - MOMENT) == EffectiveInterval(START, END - MOMENT)
    assert interval.ended_at(START - MOMENT) == EffectiveInterval(START, START)


@pytest.mark.parametrize("moments", [(END, START), (START, START - MOMENT)])
def test_reversed_interval_is_refused(moments):
    with pytest.raises(InvalidInput) as error:
        EffectiveInterval(*moments)
    assert error.value.code == "interval_reversed"


@pytest.mark.parametrize("moments", [(START.replace(tzinfo=None),), (START, datetime(2027, 1, 1))])  # noqa: DTZ001 - what is refused
def test_moment_without_zone_is_refused(moments):
    with pytest.raises(InvalidInput) as error:
        EffectiveInterval(*moments)
    assert error.value.code == "naive_moment"


def test_both_readings_of_an_autumn_hour_are_told_apart():
    summer = datetime(2026, 10, 25, 2, 45, tzinfo=BERLIN, fold=0)
    winter = datetime(2026, 10, 25, 2, 15, tzinfo=BERLIN, fold=1)

    assert EffectiveInterval(summer).contains(winter)
    assert not EffectiveInterval(winter).contains(summer)
    assert EffectiveInterval(summer, winter).end == datetime(2026, 10, 25, 1, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-29", datetime(2026, 3, 28, 23, tzinfo=UTC)),
        (" 2026-03-30 ", datetime(2026, 3, 29, 22, tzinfo=UTC)),
        ("2026-07-01T12:00", datetime(2026, 7, 1, 10, tzinfo=UTC)),
        ("2026-07-01 12:00:30", datetime(2026, 7, 1, 10, 0, 30, tzinfo=UTC)),
        ("2026-07-01T12:00Z", datetime(2026, 7, 1, 12, tzinfo=UTC)),
        ("2026-10-25T02:30+02:00", datetime(2026, 10, 25, 0, 30, tzinfo=UTC)),
        ("2026-10-25T02:30+01:00", datetime(2026, 10, 25, 1, 30, tzinfo=UTC)),
    ],
)
def test_moments_are_read_in_the_zone_of_the_organisation(text, expected):
    assert parse_moment(text, zone=BERLIN) == expected


def test_day_without_midnight_starts_at_its_first_moment():
    moment = parse_moment("2018-11-04", zone=SAO_PAULO)

    assert moment.astimezone(UTC) == datetime(2018, 11, 4, 3, tzinfo=UTC)
    assert moment.astimezone(SAO_PAULO).hour == 1


def test_day_with_two_midnights_starts_at_the_first():
    moment = parse_moment("2026-11-01", zone=ZoneInfo("America/Havana"))

    assert moment.astimezone(UTC) == datetime(2026, 11, 1, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("2026-03-29T02:30", "nonexistent_moment"),
        ("2026-10-25T02:30", "ambiguous_moment"),
        ("Friday", "invalid_moment"),
        ("", "invalid_moment"),
        ("2026-02-30", "invalid_moment"),
        ("2026-13-01T00:00", "invalid_moment"),
        ("0001-01-01", "invalid_moment"),
        ("9999-12-31T23:59", "invalid_moment"),
        ("0001-01-01T00:00+14:00", "invalid_moment"),
        ("2026-01-01\0", "invalid_moment"),
        ("\ud800", "invalid_moment"),
        ("9" * 100_000, "invalid_moment"),
    ],
)
def test_unusable_moments_are_refused_by_code(text, code):
    with pytest.raises(InvalidInput) as error:
        parse_moment(text, zone=BERLIN)
    assert error.value.code == code
    assert len(error.value.message) < 300


def test_ambiguous_moment_names_both_readings():
    with pytest.raises(InvalidInput) as error:
        parse_moment("2026-10-25T02:30", zone=BERLIN)

    assert "2026-10-25T02:30:00+02:00" in error.value.message
    assert "2026-10-25T02:30:00+01:00" in error.value.message


def test_days_of_23_and_25_hours_meet_without_gap():
    spring = [parse_moment(day, zone=BERLIN) for day in ("2026-03-29", "2026-03-30")]
    autumn = [parse_moment(day, zone=BERLIN) for day in ("2026-10-25", "2026-10-26")]

    def hours(pair):
        start, end = (moment.astimezone(UTC) for moment in pair)
        assert EffectiveInterval(start, end).contains(end - MOMENT)
        return (end - start) / timedelta(hours=1)

    assert (hours(spring), hours(autumn)) == (23, 25)


def test_other_zones_name_the_same_moment():
    shifted = START.astimezone(timezone(timedelta(hours=9)))

    assert EffectiveInterval(shifted) == EffectiveInterval(START)
