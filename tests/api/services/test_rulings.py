"""Rulings: laid over what was played, which stays as it is; undone by another ruling."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from sqlalchemy import select

from baohuang.api.errors import Conflict, Forbidden, Invalid
from baohuang.api.models import (
    Entry,
    Event,
    Match,
    Result,
    Role,
    Round,
    Ruling,
    RulingKind,
    Seat,
    Table,
    Tournament,
    utc_now,
)
from baohuang.api.services import deadlines, history, rounds, ruling_trial, rulings, standings
from baohuang.api.services.ruling_case import Ask

from .conftest import World
from .playing import FakeMatch, deal, finish

SCORES = [5, 4, -2, -3, -4]


def rule(world: World, tournament_id: str, kind: str, who: str = "olga", **fields: Any) -> Ruling:
    with world.database.begin() as session:
        ask = Ask(RulingKind(kind), "seen by three", **fields)
        return rulings.make(session, world.people[who], tournament_id, ask)


def points(world: World, tournament_id: str, **options: Any) -> dict[str, int]:
    with world.database.read() as session:
        tournament = world.tournament(tournament_id)
        made = standings.compute(session, tournament, **options)
        return {row.entry: row.points for row in made}


def played_round(world: World, tournament_id: str) -> list[str]:
    """All matches end with SCORES, seat by seat."""
    ids = world.open_next(tournament_id)
    for match_id in ids:
        finish(world, match_id, FakeMatch([deal(SCORES)]))
    close(world)
    return ids


def close(world: World) -> None:
    world.close_rounds()


def seats(world: World, match_id: str) -> list[str]:
    with world.database.read() as session:
        query = select(Seat.entry_id).join(Match, Match.table_id == Seat.table_id)
        return list(session.scalars(query.where(Match.id == match_id).order_by(Seat.seat)))


def snapshot(world: World) -> Any:
    """What was played and drawn: no ruling may change it."""
    with world.database.read() as session:
        tables = select(*Table.__table__.columns).where(Table.replays.is_(None))
        matches = select(Match.id, Match.status, Match.record, Match.version)
        finished = matches.where(Match.status == "finished")
        seated = select(*Seat.__table__.columns).join(Table, Table.id == Seat.table_id)
        whole = [select(*model.__table__.columns) for model in (Result, Round)]
        queries = (tables, finished, seated.where(Table.replays.is_(None)), *whole)
        return [session.execute(query).all() for query in queries]


@pytest.fixture
def cup(world):
    """Ten entries after round 1 of 3; round 1 has ended."""
    tournament_id = world.started(agents=10, rounds=3)
    return tournament_id, played_round(world, tournament_id)


def test_an_annulled_match_counts_no_more_and_stays_as_it_was(world, cup):
    tournament_id, (first, _) = cup
    five, before = seats(world, first), snapshot(world)
    assert [points(world, tournament_id)[x] for x in five] == SCORES
    ruling = rule(world, tournament_id, "annul", match_id=first)
    assert [points(world, tournament_id)[x] for x in five] == [0] * 5
    assert snapshot(world) == before
    with pytest.raises(Conflict, match="set aside"):
        rule(world, tournament_id, "annul", match_id=first)
    rule(world, tournament_id, "undo", ruling_id=ruling.id)
    assert [points(world, tournament_id)[x] for x in five] == SCORES
    with pytest.raises(Conflict, match="undone already"):
        rule(world, tournament_id, "undo", ruling_id=ruling.id)


def test_points_are_adjusted_in_their_round_alone(world, cup):
    tournament_id, (first, _) = cup
    entry = seats(world, first)[0]
    played_round(world, tournament_id)
    before = points(world, tournament_id)[entry]
    penalty = rule(world, tournament_id, "penalize", entry_id=entry, round=2, points=-7)
    rule(world, tournament_id, "adjust", entry_id=entry, round=1, points=3)
    rule(world, tournament_id, "warn", entry_id=entry)
    assert points(world, tournament_id)[entry] == before - 4
    assert points(world, tournament_id, as_of=1)[entry] == SCORES[0] + 3
    rule(world, tournament_id, "undo", ruling_id=penalty.id)
    assert points(world, tournament_id)[entry] == before + 3


def test_a_replay_has_new_cards_and_the_same_seats_and_its_result_counts_instead(world, cup):
    tournament_id, (first, _) = cup
    five = seats(world, first)
    ruling = rule(world, tournament_id, "replay", match_id=first)
    assert seats(world, ruling.replay_id) == five
    with world.database.read() as session:
        boards = {session.get_one(Match, x).board for x in (first, ruling.replay_id)}
        drawn = history.rounds(session, tournament_id)
    assert len(boards) == 2
    assert len(drawn[0].tables) == 2  # an entry still sits at one table a round
    assert [points(world, tournament_id)[x] for x in five] == [0] * 5
    assert world.open_next(tournament_id) == []  # the next round waits for it
    finish(world, ruling.replay_id, FakeMatch([deal(SCORES[::-1])]))
    assert [points(world, tournament_id)[x] for x in five] == SCORES[::-1]
    assert len(world.open_next(tournament_id)) == 2
    rule(world, tournament_id, "undo", ruling_id=ruling.id)
    assert [points(world, tournament_id)[x] for x in five] == SCORES


def test_a_match_that_cannot_be_played_is_annulled_and_the_round_ends(world):
    tournament_id = world.started(agents=10, rounds=2)
    first, second = world.open_next(tournament_id)
    finish(world, second)
    ruling = rule(world, tournament_id, "annul", match_id=first)
    with world.database.read() as session:
        assert session.get_one(Match, first).status == "cancelled"
    close(world)
    assert len(world.open_next(tournament_id)) == 2
    with pytest.raises(Conflict, match="replay"):
        rule(world, tournament_id, "undo", ruling_id=ruling.id)


def status(world: World, match_id: str | None) -> str:
    with world.database.read() as session:
        return session.get_one(Match, match_id).status


def told_of(world: World, match_id: str) -> list[str]:
    """Kinds of events about a match, in order."""
    with world.database.read() as session:
        query = select(Event.kind).where(Event.match_id == match_id).order_by(Event.seq)
        return list(session.scalars(query))


def refused_code(world: World, tournament_id: str, kind: str, **fields: Any) -> str:
    with pytest.raises(Conflict) as refused:
        rule(world, tournament_id, kind, **fields)
    return refused.value.problem_code


def test_what_was_annulled_before_its_end_is_played_again_by_a_replay(world):
    tournament_id, (first,) = world.playing(agents=5, rounds=2)
    annulled = rule(world, tournament_id, "annul", match_id=first)
    assert told_of(world, first)[-1] == "match.cancelled"
    assert refused_code(world, tournament_id, "undo", ruling_id=annulled.id) == "match_cancelled"
    again = rule(world, tournament_id, "replay", match_id=first).replay_id
    assert refused_code(world, tournament_id, "replay", match_id=first) == "already_set_aside"
    finish(world, again, FakeMatch([deal(SCORES)]))
    assert sorted(points(world, tournament_id).values()) == sorted(SCORES)


def test_what_was_cancelled_at_the_deadline_is_played_again_by_a_replay(world):
    tournament_id, (first,) = world.playing(agents=5, rounds=2, round_limit_s=60, overdue="cancel")
    with world.database.begin() as session:
        late = session.scalars(select(Round).where(Round.tournament_id == tournament_id)).one()
        late.deadline_at = utc_now()
        session.flush()
        deadlines.enforce(session, late.id)
    assert status(world, first) == "cancelled"
    assert refused_code(world, tournament_id, "annul", match_id=first) == "match_cancelled"
    ruled = rule(world, tournament_id, "replay", match_id=first)
    finish(world, ruled.replay_id, FakeMatch([deal(SCORES)]))
    rule(world, tournament_id, "undo", ruling_id=ruled.id)
    assert set(points(world, tournament_id).values()) == {0}


def test_an_annulled_replay_leads_back_to_the_first_match_or_on_to_a_third(world):
    tournament_id, (first,) = world.playing(agents=5, rounds=2)
    finish(world, first, FakeMatch([deal(SCORES)]))
    replayed = rule(world, tournament_id, "replay", match_id=first)
    rule(world, tournament_id, "annul", match_id=replayed.replay_id)
    assert set(points(world, tournament_id).values()) == {0}
    third = rule(world, tournament_id, "replay", match_id=replayed.replay_id)
    assert refused_code(world, tournament_id, "undo", ruling_id=replayed.id) == "ruled_upon"
    finish(world, third.replay_id, FakeMatch([deal([10, 0, 0, 0, -10])]))
    assert sorted(points(world, tournament_id).values()) == [-10, 0, 0, 0, 10]
    rule(world, tournament_id, "undo", ruling_id=third.id)
    rule(world, tournament_id, "undo", ruling_id=replayed.id)
    assert sorted(points(world, tournament_id).values()) == sorted(SCORES)


@pytest.mark.parametrize("kind", ["annul", "replay", "adjust", "penalize", "disqualify"])
def test_correcting_round_1_after_round_3_is_drawn_leaves_all_rounds_as_they_are(
    sqlite_world, kind
):
    world = sqlite_world
    tournament_id = world.started(agents=25, rounds=4, format="swiss", capacity=30)
    first = played_round(world, tournament_id)[0]
    played_round(world, tournament_id)
    world.open_next(tournament_id)
    before, ranked = snapshot(world), points(world, tournament_id)
    rule(world, tournament_id, kind, **fields_of(world, tournament_id, first, kind))
    assert snapshot(world) == before
    assert points(world, tournament_id) != ranked or kind == "disqualify"
    ruling = rule(world, tournament_id, "undo", ruling_id=_last(world, tournament_id))
    assert (ruling.after_round, ruling.number) == (3, 2)
    assert snapshot(world) == before
    assert points(world, tournament_id) == ranked


def drawn(world: World, tournament_id: str) -> tuple[tuple[str, ...], ...]:
    """The tables of the coming round."""
    decision = world.see(rounds.draw_next, world.vault, tournament_id).decision
    tables: tuple[tuple[str, ...], ...] = decision.round.tables
    return tables


def fields_of(world: World, tournament_id: str, match_id: str, kind: str) -> dict[str, Any]:
    """What a ruling of each kind is about: a match, and who sits on its first seat."""
    entry_id = seats(world, match_id)[0]
    of_entry = {"entry_id": entry_id, "round": 1}
    tables = [list(seats_) for seats_ in drawn(world, tournament_id)] if kind == "seat" else []
    if tables:
        tables[0][0], tables[-1][4] = tables[-1][4], tables[0][0]
    return {
        "annul": {"match_id": match_id},
        "replay": {"match_id": match_id},
        "adjust": {**of_entry, "points": 50},
        "penalize": {**of_entry, "points": -50},
        "warn": {"entry_id": entry_id},
        "disqualify": {"entry_id": entry_id},
        "seat": {"tables": tables},
    }[kind]


@pytest.mark.parametrize(
    "kind", ["annul", "replay", "adjust", "penalize", "warn", "disqualify", "seat"]
)
def test_every_ruling_is_tried_made_and_undone(sqlite_world, kind):
    """The dry run says what the ruling then does; the undoing gives everything back."""
    world = sqlite_world
    tournament_id = world.started(agents=25, rounds=3, format="swiss", capacity=30)
    first = played_round(world, tournament_id)[0]
    fields = fields_of(world, tournament_id, first, kind)
    ask, olga = Ask(RulingKind(kind), "seen by three", **fields), world.people["olga"]

    def now() -> Any:
        with world.database.read() as session:
            tournament = session.get_one(Tournament, tournament_id)
            past = history.past_of(session, tournament)
            course = ruling_trial._course(session, world.vault, tournament, past)
        return course.ranked(), course.seated()

    known = {entry.id for entry in world.entries(tournament_id)}

    def shown(coming: Any) -> Any:
        """A house bot that takes the place of somebody is made anew by every trial."""
        tables = [[x if x in known else "house" for x in table] for table in coming["tables"]]
        return {**coming, "tables": tables}

    before = now()
    past = world.see(ruling_trial.past, olga, tournament_id)
    with world.database.begin() as session:
        trial = ruling_trial.tried(session, world.vault, olga, tournament_id, ask, past)
    tried = trial.differences()
    assert now() == before
    ruling = rule(world, tournament_id, kind, **fields)
    ranked, seated = now()
    assert tried["seating"]["before"] == before[1]
    assert shown(tried["seating"]["after"]) == shown(seated)
    assert tried["seating"]["changed"] == (seated != before[1])
    assert {row["entry_id"]: row["after"] for row in tried["standings"]} == {
        entry: row for entry, row in ranked.items() if row != before[0][entry]
    }
    assert ruling.reason == "seen by three"
    rule(world, tournament_id, "undo", ruling_id=ruling.id)
    assert now() == before


def _last(world: World, tournament_id: str) -> str:
    with world.database.read() as session:
        query = select(Ruling.id).where(Ruling.tournament_id == tournament_id)
        return session.scalars(query.order_by(Ruling.number.desc())).first() or ""


def test_the_disqualified_rank_last_until_that_is_undone(world, cup):
    tournament_id, _ = cup
    winner = next(iter(points(world, tournament_id)))
    ruling = rule(world, tournament_id, "disqualify", entry_id=winner)
    assert list(points(world, tournament_id))[-1] == winner
    with world.database.read() as session:
        assert session.get_one(Entry, winner).status == "disqualified"
    rule(world, tournament_id, "undo", ruling_id=ruling.id)
    assert next(iter(points(world, tournament_id))) == winner
    with world.database.read() as session:
        assert session.get_one(Entry, winner).status == "entered"


def test_the_coming_round_is_seated_by_hand(world, cup):
    tournament_id, _ = cup
    with world.database.read() as session:
        ids = sorted(e.id for e in history.field(session, tournament_id).entrants)
    tables = [ids[:5], ids[5:]]
    rule(world, tournament_id, "seat", tables=[ids[5:], ids[:5]])
    rule(world, tournament_id, "seat", tables=tables)
    drawn = world.open_next(tournament_id)
    assert [seats(world, match_id) for match_id in drawn] == tables
    with pytest.raises(Conflict, match="has been drawn"):
        rule(world, tournament_id, "undo", ruling_id=_last(world, tournament_id))


def test_a_single_table_is_seated_by_hand_and_the_others_are_drawn(world, cup):
    tournament_id, _ = cup
    olga = world.people["olga"]
    first, second = map(list, drawn(world, tournament_id))
    five = [second[0], *first[1:]]
    ask = Ask(RulingKind.SEAT, "asked for", tables=[five], others="drawn")
    with world.database.begin() as session:
        tried = ruling_trial.tried(session, world.vault, olga, tournament_id, ask)
    expected = [five, [first[0], *second[1:]]]
    assert tried.differences()["seating"]["after"]["tables"] == expected
    ruling = rule(world, tournament_id, "seat", tables=[five], others="drawn")
    assert ruling.details == {"tables": [five], "byes": [], "out": [], "others": "drawn"}
    opened = world.open_next(tournament_id)
    assert [seats(world, match_id) for match_id in opened] == expected


def test_a_single_table_by_hand_that_was_undone_is_drawn(world, cup):
    tournament_id, _ = cup
    first, second = map(list, drawn(world, tournament_id))
    ruling = rule(world, tournament_id, "seat", tables=[[second[0], *first[1:]]], others="drawn")
    rule(world, tournament_id, "undo", ruling_id=ruling.id)
    opened = world.open_next(tournament_id)
    assert [seats(world, match_id) for match_id in opened] == [first, second]


@pytest.mark.parametrize(
    "more", [{"tables": [["x"] * 5]}, {"byes": []}], ids=["a stranger", "byes of ones own"]
)
def test_a_single_table_that_makes_no_sense_is_refused(world, cup, more):
    tournament_id, (first, _) = cup
    fields = {"tables": [seats(world, first)], "others": "drawn", **more}
    with pytest.raises(Invalid):
        rule(world, tournament_id, "seat", **fields)


@pytest.mark.parametrize(
    "spoil",
    [lambda t: [t[0], t[0]], lambda t: [t[0], [*t[1][:4], "x"]]],
    ids=["in two places", "a stranger"],
)
def test_a_seating_that_makes_no_sense_is_refused(world, cup, spoil):
    tournament_id, _ = cup
    with world.database.read() as session:
        ids = sorted(e.id for e in history.field(session, tournament_id).entrants)
    with pytest.raises(Invalid):
        rule(world, tournament_id, "seat", tables=spoil([ids[:5], ids[5:]]))


def test_a_dry_run_says_what_the_ruling_then_does_and_keeps_nothing(world):
    tournament_id = world.started(agents=25, rounds=4, format="swiss", capacity=30)
    first = played_round(world, tournament_id)[0]
    ask = Ask(RulingKind.ANNUL, "why not", match_id=first)
    version, before = world.tournament(tournament_id).version, points(world, tournament_id)
    with world.database.begin() as session:
        olga = world.people["olga"]
        made = ruling_trial.tried(session, world.vault, olga, tournament_id, ask)
    tried = made.differences()
    assert world.tournament(tournament_id).version == version
    assert points(world, tournament_id) == before
    assert _last(world, tournament_id) == ""
    rule(world, tournament_id, "annul", match_id=first)
    after = points(world, tournament_id)
    told = {row["entry_id"]: row["after"]["points"] for row in tried["standings"]}
    assert set(seats(world, first)) <= set(told)
    assert all(after[entry] == value for entry, value in told.items())
    drawn = world.open_next(tournament_id)
    assert [seats(world, x) for x in drawn] == tried["seating"]["after"]["tables"]
    assert tried["seating"]["changed"]


def test_house_bots_that_only_a_tried_ruling_brings_in_have_no_id(world):
    """Ten play; for one of them a house bot is needed, whose entry goes when the ruling does."""
    tournament_id = world.started(agents=10, rounds=3, format="swiss", capacity=10)
    played_round(world, tournament_id)
    entered = [entry.id for entry in world.entries(tournament_id)]
    ask = Ask(RulingKind.DISQUALIFY, "why not", entry_id=entered[0])
    with world.database.begin() as session:
        olga = world.people["olga"]
        tried = ruling_trial.tried(session, world.vault, olga, tournament_id, ask)
    after = tried.differences()["seating"]["after"]
    seated = [x for table in after["tables"] for x in table]
    assert Counter(seated) == Counter([*entered[1:], None])
    assert [entry.id for entry in world.entries(tournament_id)] == entered


def test_a_dry_run_reads_the_past_before_it_locks_and_again_if_it_is_another(world, monkeypatch):
    tournament_id = world.started(agents=10, rounds=3, capacity=10)
    first = played_round(world, tournament_id)[0]
    olga, read = world.people["olga"], []
    past_of = history.past_of
    past = world.see(ruling_trial.past, olga, tournament_id)

    def reading(*args: Any, **more: Any) -> Any:
        read.append(args)
        return past_of(*args, **more)

    def differences() -> Any:
        ask = Ask(RulingKind.ANNUL, "why not", match_id=first)
        with world.database.begin() as session:
            tried = ruling_trial.tried(session, world.vault, olga, tournament_id, ask, past)
        told = {row["entry_id"]: row["after"] for row in tried.differences()["standings"]}
        return {entry: told[entry]["points"] for entry in seats(world, first)}

    monkeypatch.setattr(standings, "FEW", 0)
    monkeypatch.setattr(history, "past_of", reading)
    assert set(differences().values()) == {0}, "of the only match"
    assert read == []
    played_round(world, tournament_id)
    read.clear()
    assert differences() == {x: of_round_2(world, x) for x in seats(world, first)}
    assert len(read) == 1


def of_round_2(world: World, entry_id: str) -> int:
    with world.database.read() as session:
        query = select(Result.points).where(Result.entry_id == entry_id, Result.round_number == 2)
        return session.scalars(query).one()


def test_only_the_organizer_arbiters_and_admins_rule(world, cup):
    tournament_id, (first, second) = cup
    world.person("arno", Role.ARBITER)
    for who in ("anna", "oskar"):
        with pytest.raises(Forbidden):
            rule(world, tournament_id, "annul", who, match_id=first)
    rule(world, tournament_id, "annul", "arno", match_id=first)
    rule(world, tournament_id, "annul", "ada", match_id=second)


def test_when_all_is_over_results_are_corrected_but_nothing_is_played(world):
    tournament_id = world.started(agents=5, rounds=1)
    (match_id,) = played_round(world, tournament_id)
    assert world.tournament(tournament_id).status == "finished"
    with pytest.raises(Conflict, match="is finished; replay is not possible"):
        rule(world, tournament_id, "replay", match_id=match_id)
    rule(world, tournament_id, "annul", match_id=match_id)
    assert set(points(world, tournament_id).values()) == {0}


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "annul", "match_id": "0" * 26},
        {"kind": "warn", "entry_id": "0" * 26},
        {"kind": "undo", "ruling_id": "0" * 26},
    ],
)
def test_things_of_other_tournaments_are_refused(world, cup, fields):
    with pytest.raises(Invalid):
        rule(world, cup[0], **fields)
