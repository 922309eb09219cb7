"""Series make each of their tournaments once, in time, and say when the next ones come."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select, text

from baohuang.api.errors import Invalid, NotFound, PreconditionFailed
from baohuang.api.models import Account, Series, Tournament
from baohuang.api.services import series, tournament_settings, tournaments

from .conftest import SETTINGS
from .racing import race

IN_SERIES = {name: value for name, value in SETTINGS.items() if name not in ("name", "starts_at")}
VALUES: dict[str, Any] = {
    "name": "Friday cup",
    "cron": "0 18 * * fri",
    "time_zone": "Europe/Berlin",
    "lead_s": 24 * 3600,
    "until": None,
    "settings": IN_SERIES,
}


def at(text):
    return datetime.fromisoformat(text).astimezone(UTC)


@pytest.fixture
def now(monkeypatch):
    """Sets the time for what asks for it here."""

    def set_to(text):
        moment = at(text)
        for module in (series, tournament_settings, tournaments):
            monkeypatch.setattr(module, "utc_now", lambda: moment)

    set_to("2026-03-23T12:00:00Z")  # a Monday
    return set_to


def made(world, **changes):
    return world.do(series.create, "olga", {**VALUES, **changes}).id


def run(world):
    """What the timer does: the ids of the tournaments that were made."""
    found = []
    for series_id, start in world.see(series.due):
        with world.database.begin() as session:
            found.append(series.make_next(session, world.vault, series_id, start))
    return [tournament_id for tournament_id in found if tournament_id]


def row(world, series_id):
    with world.database.read() as session:
        return session.get_one(Series, series_id)


def starts(world):
    with world.database.read() as session:
        return list(session.scalars(select(Tournament.starts_at).order_by(Tournament.starts_at)))


def test_the_next_runs_are_shown_with_their_offsets_across_the_change_of_the_clock(world, now):
    series_id = made(world)
    found = series.next_runs(row(world, series_id), at("2026-03-23T12:00:00Z"))
    assert [run["local"] for run in found] == [
        "2026-03-27T18:00:00+01:00",
        "2026-04-03T18:00:00+02:00",
        "2026-04-10T18:00:00+02:00",
        "2026-04-17T18:00:00+02:00",
        "2026-04-24T18:00:00+02:00",
    ]
    assert found[0]["at"] == at("2026-03-27T17:00:00Z")
    assert found[1]["at"] == at("2026-04-03T16:00:00Z")


def test_a_tournament_is_made_and_opened_ahead_of_its_start_and_once(world, now):
    made(world)
    now("2026-03-26T16:59:59Z")
    assert run(world) == []
    now("2026-03-26T17:00:00Z")
    (tournament_id,) = run(world)
    assert run(world) == []
    found = world.tournament(tournament_id)
    assert (found.name, found.status) == ("Friday cup 2026-03-27 18:00", "open")
    assert found.starts_at == at("2026-03-27T17:00:00Z")
    assert found.organizer_id == world.people["olga"].account_id
    now("2026-04-02T16:00:00Z")
    assert len(run(world)) == 1
    assert starts(world) == [at("2026-03-27T17:00:00Z"), at("2026-04-03T16:00:00Z")]


def test_of_two_schedulers_at_once_one_makes_it(world, now):
    made(world)
    now("2026-03-26T18:00:00Z")
    found = race(lambda: run(world), lambda: run(world))
    assert sorted(map(len, found)) == [0, 1]
    assert len(starts(world)) == 1


def test_what_was_missed_is_skipped_and_what_is_still_to_come_is_made(world, now):
    series_id = made(world)
    now("2026-04-09T17:00:00Z")  # two Fridays have passed, the third is less than a day away
    assert run(world) == []
    (tournament_id,) = run(world)
    assert world.tournament(tournament_id).starts_at == at("2026-04-10T16:00:00Z")
    assert row(world, series_id).next_at == at("2026-04-17T16:00:00Z")


def test_a_series_ends_with_its_last_day(world, now):
    series_id = made(world, until=at("2026-04-04T00:00:00Z"))
    assert len(series.next_runs(row(world, series_id), at("2026-03-23T12:00:00Z"))) == 2
    for moment in ("2026-03-27T00:00:00Z", "2026-04-03T00:00:00Z"):
        now(moment)
        assert len(run(world)) == 1
    assert row(world, series_id).next_at is None
    now("2026-05-01T00:00:00Z")
    assert run(world) == []


def test_a_paused_series_makes_nothing_and_goes_on_from_when_it_is_active(world, now):
    series_id = made(world)
    world.do(series.change, "olga", series_id, 1, {"status": "paused"})
    now("2026-03-27T00:00:00Z")
    assert run(world) == []
    assert series.next_runs(row(world, series_id), at("2026-03-27T00:00:00Z")) == []
    now("2026-03-28T00:00:00Z")
    world.do(series.change, "olga", series_id, row(world, series_id).version, {"status": "active"})
    assert row(world, series_id).next_at == at("2026-04-03T16:00:00Z")


def test_a_change_does_not_make_the_same_tournament_again(world, now):
    series_id = made(world)
    now("2026-03-27T00:00:00Z")
    assert len(run(world)) == 1
    version = row(world, series_id).version
    world.do(series.change, "olga", series_id, version, {"name": "Weekly cup"})
    assert row(world, series_id).next_at == at("2026-03-27T17:00:00Z")
    assert run(world) == []
    assert row(world, series_id).next_at == at("2026-04-03T16:00:00Z")
    now("2026-04-03T00:00:00Z")
    (tournament_id,) = run(world)
    assert world.tournament(tournament_id).name == "Weekly cup 2026-04-03 18:00"


def test_a_series_whose_tournaments_cannot_be_made_pauses_and_says_why(world, now):
    series_id = made(world)
    with world.database.begin() as session:
        owner = session.get_one(Account, world.people["olga"].account_id)
        owner.role = "author"
    now("2026-03-27T00:00:00Z")
    assert run(world) == []
    found = row(world, series_id)
    assert found.status == "paused"
    assert "tournaments:write" in found.status_reason
    assert starts(world) == []


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"cron": "0 18 * *"}, "/cron"),
        ({"cron": "* * * * *"}, "/cron"),
        ({"time_zone": "Berlin"}, "/time_zone"),
        ({"settings": {**IN_SERIES, "format": "nothing"}}, "/settings/format"),
        ({"settings": {**IN_SERIES, "rule_set": "mahjong"}}, "/settings/rule_set"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_place(world, now, change, pointer):
    with pytest.raises(Invalid) as refused:
        made(world, **change)
    assert [e.pointer for e in refused.value.errors] == [pointer]
    series_id = made(world)
    with pytest.raises(Invalid):
        world.do(series.change, "olga", series_id, 1, change)


def test_a_series_is_its_organizers_alone(world, now):
    series_id = made(world)
    for act in (
        lambda: world.do(series.find, "oskar", series_id),
        lambda: world.do(series.change, "oskar", series_id, 1, {"name": "x"}),
        lambda: world.do(series.remove, "oskar", series_id, 1),
    ):
        with pytest.raises(NotFound):
            act()
    assert not world.see(series.search, world.people["oskar"], None, 10).items
    assert len(world.see(series.search, world.people["olga"], None, 10).items) == 1


def test_a_series_that_is_removed_leaves_its_tournaments(world, now):
    series_id = made(world)
    now("2026-03-27T00:00:00Z")
    (tournament_id,) = run(world)
    with pytest.raises(PreconditionFailed):
        world.do(series.remove, "olga", series_id, 2)
    world.do(series.remove, "olga", series_id, row(world, series_id).version)
    assert world.tournament(tournament_id).series_id is None
    assert world.see(series.due) == []


def test_a_series_is_removed_while_it_makes_a_tournament(postgres_world, now):
    world = postgres_world
    series_id = made(world)
    now("2026-03-26T18:00:00Z")
    ((_, start),) = world.see(series.due)
    waits = text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
    with ThreadPoolExecutor(1) as pool, world.database.engine.connect() as looking:
        with world.database.begin() as session:
            tournament_id = series.make_next(session, world.vault, series_id, start)
            version = session.get_one(Series, series_id).version
            removing = pool.submit(world.do, series.remove, "olga", series_id, version)
            while not removing.done() and not looking.scalar(waits):
                looking.rollback()
        removing.result(30)
    assert world.tournament(tournament_id).series_id is None


def test_the_time_of_its_start_starts_it(world, now):
    made(world)
    now("2026-03-27T00:00:00Z")
    (tournament_id,) = run(world)
    world.enter(tournament_id, world.agent("anna", "wolf"))
    now((at("2026-03-27T17:00:00Z") + timedelta(seconds=1)).isoformat())
    with world.database.begin() as session:
        assert tournaments.start_due(session, tournament_id)


def test_no_more_than_so_many_tournaments_of_a_series_wait_for_their_start(world, now, monkeypatch):
    monkeypatch.setattr(series, "MOST_OPEN", 3)
    series_id = made(world, cron="*/15 * * * *", lead_s=366 * 24 * 3600)
    for _ in range(5):
        run(world)
    assert [start.strftime("%H:%M") for start in starts(world)] == ["12:15", "12:30", "12:45"]
    assert world.see(series.waiting, [series_id]) == {series_id: 3}
    with world.database.begin() as session:  # one of them begins
        first = session.scalars(select(Tournament).order_by(Tournament.starts_at)).first()
        first.status = "running"
    assert len(run(world)) == 1
    assert run(world) == []
    assert starts(world)[-1] == at("2026-03-23T13:00:00Z")
    other = made(world, name="Other cup")
    now("2026-03-27T12:00:00Z")
    assert world.see(series.waiting, [series_id, other]) == {series_id: 3, other: 0}
    assert len(run(world)) == 1  # another series has room of its own
