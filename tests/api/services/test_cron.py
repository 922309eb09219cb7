"""Moments that come again, across both changes of the clock; all of them worked out by hand."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import islice, pairwise

import pytest

from baohuang.api.services import cron
from baohuang.api.services.cron import CronError, check, check_zone, moments, shown


def at(text):
    return datetime.fromisoformat(text).astimezone(UTC)


def following(expression, zone, after, many):
    return [shown(m, zone) for m in islice(moments(expression, zone, at(after)), many)]


# Berlin 2026: clocks go from 02:00 to 03:00 on 29 March, from 03:00 back to 02:00 on 25 October.


def test_an_evening_stays_an_evening_through_spring():
    assert following("0 18 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 3) == [
        "2026-03-28T18:00:00+01:00",
        "2026-03-29T18:00:00+02:00",
        "2026-03-30T18:00:00+02:00",
    ]


def test_an_evening_stays_an_evening_through_autumn():
    found = list(islice(moments("0 18 * * *", "Europe/Berlin", at("2026-10-24T12:00:00Z")), 3))
    assert found == [
        at("2026-10-24T16:00:00Z"),
        at("2026-10-25T17:00:00Z"),
        at("2026-10-26T17:00:00Z"),
    ]


def test_a_time_that_is_skipped_in_spring_happens_an_hour_later_and_once():
    assert following("30 2 * * *", "Europe/Berlin", "2026-03-27T12:00:00Z", 3) == [
        "2026-03-28T02:30:00+01:00",
        "2026-03-29T03:30:00+02:00",
        "2026-03-30T02:30:00+02:00",
    ]


def test_a_skipped_time_that_falls_on_another_of_the_same_expression_counts_once():
    assert following("30 2,3 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 3) == [
        "2026-03-29T03:30:00+02:00",
        "2026-03-30T02:30:00+02:00",
        "2026-03-30T03:30:00+02:00",
    ]


def test_a_skipped_time_comes_in_its_order():
    # 02:45 is skipped and happens at 03:45, after 03:15.
    assert following("15,45 2,3 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 3) == [
        "2026-03-29T03:15:00+02:00",
        "2026-03-29T03:45:00+02:00",
        "2026-03-30T02:15:00+02:00",
    ]


def test_a_time_that_comes_twice_in_autumn_counts_the_first_time():
    assert following("30 2 * * *", "Europe/Berlin", "2026-10-23T12:00:00Z", 3) == [
        "2026-10-24T02:30:00+02:00",
        "2026-10-25T02:30:00+02:00",
        "2026-10-26T02:30:00+01:00",
    ]


def test_between_the_two_the_second_one_is_not_made_up_for():
    assert following("30 2 * * *", "Europe/Berlin", "2026-10-25T00:45:00Z", 1) == [
        "2026-10-26T02:30:00+01:00"
    ]


def test_every_hour_is_every_hour_through_both_changes():
    for after in ("2026-03-28T23:10:00Z", "2026-10-24T23:10:00Z"):
        found = list(islice(moments("30 * * * *", "Europe/Berlin", at(after)), 5))
        assert [(b - a).total_seconds() for a, b in pairwise(found)] == [3600] * 4
    assert following("30 * * * *", "Europe/Berlin", "2026-10-24T23:10:00Z", 4) == [
        "2026-10-25T01:30:00+02:00",
        "2026-10-25T02:30:00+02:00",
        "2026-10-25T02:30:00+01:00",
        "2026-10-25T03:30:00+01:00",
    ]


def test_the_other_half_of_the_world_changes_the_other_way():
    # Sydney: back an hour on 5 April 2026, forward on 4 October 2026.
    assert following("0 9 * * sun", "Australia/Sydney", "2026-04-01T00:00:00Z", 2) == [
        "2026-04-05T09:00:00+10:00",
        "2026-04-12T09:00:00+10:00",
    ]
    assert following("30 2 4 10 *", "Australia/Sydney", "2026-09-01T00:00:00Z", 1) == [
        "2026-10-04T03:30:00+11:00"
    ]


def test_half_an_hour_of_change():
    # Lord Howe: 02:00 becomes 02:30 on 4 October 2026.
    assert following("15 2 4 10 *", "Australia/Lord_Howe", "2026-09-01T00:00:00Z", 1) == [
        "2026-10-04T02:45:00+11:00"
    ]


def test_a_zone_without_changes():
    assert following("0 20 * * fri", "Asia/Shanghai", "2026-03-26T00:00:00Z", 2) == [
        "2026-03-27T20:00:00+08:00",
        "2026-04-03T20:00:00+08:00",
    ]


def test_a_day_that_a_zone_left_out():
    # Samoa had no 30 December 2011; what was due then counts with the offset before (-10).
    assert following("0 12 * * *", "Pacific/Apia", "2011-12-29T00:00:00Z", 4) == [
        "2011-12-29T12:00:00-10:00",
        "2011-12-31T12:00:00+14:00",
        "2012-01-01T12:00:00+14:00",
        "2012-01-02T12:00:00+14:00",
    ]


@pytest.mark.parametrize(
    ("expression", "dates"),
    [
        ("0 18 * * 5#2", ["2026-01-09", "2026-02-13", "2026-03-13"]),
        ("0 18 L * *", ["2026-01-31", "2026-02-28", "2026-03-31"]),
        ("0 18 13 * fri", ["2026-01-02", "2026-01-09", "2026-01-13"]),
        ("0 18 29 feb *", ["2028-02-29", "2032-02-29", "2036-02-29"]),
        ("0 18 * * 1-5", ["2026-01-01", "2026-01-02", "2026-01-05"]),
        ("0 18 1 */3 *", ["2026-01-01", "2026-04-01", "2026-07-01"]),
    ],
)
def test_days(expression, dates):
    found = following(expression, "UTC", "2026-01-01T00:00:00Z", 3)
    assert [text[:10] for text in found] == dates


@pytest.mark.parametrize(
    "expression",
    ["", "*", "0 18 * *", "0 18 * * * *", "0  18 * * *", "60 18 * * *", "0 25 * * *", "0 18 30 2 *",
     "0 18 * * someday", "R R * * *", "H 18 * * *", "@daily", "0 18 * * mon-", "0 18 * * 5#9",
     "a" * 200, "0 18 * * \N{DIGIT FIVE}\N{ARABIC-INDIC DIGIT FIVE}", "0 18 * * *\n"],
)  # fmt: skip
def test_what_is_no_expression_is_refused(expression):
    with pytest.raises(CronError):
        check(expression, "UTC", at("2026-01-01T00:00:00Z"))


@pytest.mark.parametrize("expression", ["* * * * *", "*/10 * * * *", "0,14 18 * * *"])
def test_what_comes_too_often_is_refused(expression):
    with pytest.raises(CronError, match="15 minutes apart"):
        check(expression, "UTC", at("2026-01-01T00:00:00Z"))


@pytest.mark.parametrize(
    "zone", ["", "Berlin", "../etc/passwd", "/etc/passwd", "europe/berlin", "x" * 99]
)
def test_what_is_no_zone_is_refused(zone):
    with pytest.raises(CronError):
        check_zone(zone)


def test_good_ones_are_taken():
    check_zone("Europe/Berlin")
    for expression in ("0 18 * * *", "0 */6 * * *", "15 9-17/2 * * mon-fri", "0 0 29 2 *"):
        check(expression, "Europe/Berlin", at("2026-01-01T00:00:00Z"))
    assert cron.LEAST_S == 900
