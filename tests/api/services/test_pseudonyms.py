"""Pseudonyms: who sits where is the judges' alone until a round has ended."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import select

from baohuang.api.errors import Forbidden, NotFound
from baohuang.api.models import (
    Entry,
    Event,
    EventView,
    Match,
    Round,
    RulingKind,
    Seat,
    Table,
)
from baohuang.api.services import (
    appeals,
    entries,
    event_feed,
    events,
    fairness,
    matches,
    pseudonyms,
    records,
    round_results,
    rulings,
    standings,
    tables,
)
from baohuang.api.services.principal import ANONYMOUS
from baohuang.api.services.ruling_case import Ask

from .playing import Slip, claimed, play

PLAYERS = [f"player {n}" for n in range(1, 6)]


@pytest.fixture
def tournament_id(world):
    """Ten agents of anna's, two rounds of two tables, the first one open."""
    settings = {"pseudonyms": True, "appeal_window_s": 600}
    made = world.started(10, capacity=10, rounds=2, deals=1, **settings)
    world.open_next(made)
    return made


def ids(world, number=1):
    with world.database.read() as session:
        query = (
            select(Match.id)
            .join(Round, Round.id == Match.round_id)
            .join(Table, Table.id == Match.table_id)
            .where(Round.number == number)
            .order_by(Table.number)
        )
        return list(session.scalars(query))


def who(world, name):
    return ANONYMOUS if name is None else world.people[name]


def seats(world, match_id, name=None):
    found = world.see(tables.find_match, who(world, name), match_id)["seats"]
    return [(seat["entry_id"], seat["name"], seat["player"]) for seat in found]


def at_tables(world, tournament_id, name=None):
    page = world.see(tables.search_tables, who(world, name), tournament_id, 1, None, 100)
    return [(seat["entry_id"], seat["name"]) for table in page.items for seat in table["seats"]]


def names(world, tournament_id):
    return {entry.name for entry in world.entries(tournament_id)}


@pytest.mark.parametrize("name", [None, "anna", "bert", "oskar"])
def test_nobody_sees_who_sits_where_while_a_round_runs(world, tournament_id, name):
    first, second = ids(world)
    claimed(world, first)
    for match_id in (first, second):
        assert seats(world, match_id, name) == [(None, player, None) for player in PLAYERS]
    assert at_tables(world, tournament_id, name) == []


@pytest.mark.parametrize("name", ["olga", "ada", "arne"])
def test_the_judges_do(world, tournament_id, name):
    world.person("arne", "arbiter")
    found = {name for _, name in at_tables(world, tournament_id, name)}
    assert found == names(world, tournament_id)
    first = ids(world)[0]
    claimed(world, first)
    shown = seats(world, first, name)
    assert {name for _, name, _ in shown} < names(world, tournament_id)
    assert all(player["agent_id"] for _, _, player in shown)


@pytest.mark.parametrize("name", ["olga", "arne"])
def test_the_bots_of_judges_see_no_more_than_others(world, tournament_id, name):
    """A token to play with says nothing of the tables, whoever's it is."""
    world.person("arne", "arbiter")
    judge = world.people[name]
    world.people["bot"] = replace(judge, scopes=frozenset({"agents:play", "entries:write"}))
    assert at_tables(world, tournament_id, "bot") == []
    assert len(at_tables(world, tournament_id, name)) == 10


def test_names_are_shown_when_the_round_has_ended(world, tournament_id):
    first, second = ids(world)
    play(world, first)
    assert seats(world, first)[0][:2] == (None, "player 1")  # the other table still plays
    play(world, second)
    world.close_rounds()
    assert {name for _, name, _ in seats(world, first)} < names(world, tournament_id)
    assert {name for _, name in at_tables(world, tournament_id)} == names(world, tournament_id)


def test_records_have_no_names_until_then(world, tournament_id):
    first, second = ids(world)
    play(world, first)
    assert world.see(records.of_match, ANONYMOUS, first)["seats"] == PLAYERS
    (listed,) = world.see(records.of_tournament, ANONYMOUS, tournament_id).items
    assert listed["seats"] == PLAYERS
    known = world.see(records.of_match, who(world, "olga"), first)["seats"]
    assert set(known) < names(world, tournament_id)
    play(world, second)
    world.close_rounds()
    assert world.see(records.of_match, ANONYMOUS, first)["seats"] == known
    pages = world.see(records.of_tournament, ANONYMOUS, tournament_id)
    assert pages.items[0]["seats"] == known


def test_no_event_says_it(world, tournament_id):
    entry = world.entries(tournament_id)[0]
    world.do(entries.withdraw, "anna", entry.id, entry.version)
    for match_id in ids(world):
        claimed(world, match_id)
    with world.database.read() as session:
        told = list(session.scalars(select(Event).where(Event.match_id.is_not(None))))
        seated_at = session.scalar(select(Seat.seat).where(Seat.entry_id == entry.id))
    seated = [event.payload["seats"] for event in told if event.kind == "match.seated"]
    assert seated == [[{"entry_id": None, "name": name} for name in PLAYERS]] * 2
    (stand_ins,) = [event for event in told if event.kind == "match.stand_ins"]
    assert stand_ins.view == "after"  # who has withdrawn is known, so the seat would tell
    player = {"seat": seated_at, "entry_id": entry.id, "house_bot": "greedy"}
    assert stand_ins.payload["seats"] == [player]


def test_standings_and_certificate_wait_for_the_end_of_the_round(world, tournament_id):
    first, second = ids(world)
    play(world, first)
    with world.database.begin() as session:
        standings.refresh(session, tournament_id)
    for options in ({}, {"as_of": 1}, {"house": False}):
        page = world.see(standings.rows, ANONYMOUS, tournament_id, None, 100, **options)
        assert {row["deals"] for row in page.items} == {0}
    assert world.see(fairness.certificate, ANONYMOUS, tournament_id)["rounds"] == 0
    before = world.see(fairness.tag, ANONYMOUS, tournament_id)
    play(world, second)
    world.close_rounds()
    assert world.see(fairness.certificate, ANONYMOUS, tournament_id)["rounds"] == 1
    assert world.see(fairness.tag, ANONYMOUS, tournament_id) != before


def test_a_cancelled_tournament_hides_nothing(world, tournament_id):
    world.act("cancel", tournament_id)
    assert {name for _, name in at_tables(world, tournament_id)} == names(world, tournament_id)


def test_names_are_shown_where_the_organizer_wants_nothing_else(world):
    made = world.started(5, capacity=5, rounds=1)
    world.open_next(made)
    assert {name for _, name in at_tables(world, made)} == names(world, made)


def test_a_name_tells_the_seat_and_nothing_else():
    rows = [{"seat": n, "entry_id": f"e{n}", "name": "x", "points": n} for n in range(5)]
    shown = pseudonyms.masked(rows)
    assert [row["name"] for row in shown] == PLAYERS
    assert [row["points"] for row in shown] == [0, 1, 2, 3, 4]


def test_neither_results_nor_filters_tell_who_sits_where(world, tournament_id):
    first, second = ids(world)
    play(world, first)
    hers = world.entries(tournament_id)[0].id

    def of(name=None):
        found = world.see(round_results.of_round, who(world, name), tournament_id, 1)["matches"]
        (played,) = [match["results"] for match in found if match["results"]]
        return played

    def filtered(name=None, **wanted):
        page = world.see(
            tables.search_matches, who(world, name), tournament_id, None, 100, **wanted
        )
        return {match.id for match in page.items}

    for result, judged in zip(of(), of("olga"), strict=True):
        assert (result["entry_id"], result["agent_id"], result["house_bot"]) == (None, None, None)
        assert result["name"] in PLAYERS
        assert result["points"] == judged.points
        assert judged.name in names(world, tournament_id)
    assert filtered(entry_id=hers) == set()
    assert len(filtered("olga", entry_id=hers)) == 1
    assert filtered(status="queued") == {second}


def test_a_seating_by_hand_says_it_when_its_round_has_ended(world, tournament_id):
    for match_id in ids(world):
        play(world, match_id)
    world.close_rounds()
    entrants = [entry.id for entry in world.entries(tournament_id)]
    by_hand = [entrants[:5], entrants[5:]]
    ask = Ask(RulingKind.SEAT, "the hall is small", tables=by_hand)
    made = world.do(rulings.make, "olga", tournament_id, ask)

    def told(name=None):
        (listed,) = world.see(rulings.search, who(world, name), tournament_id, None, 9).items
        found = world.see(rulings.find, who(world, name), made.id)
        shown = [row if isinstance(row, dict) else row._mapping for row in (listed, found)]
        assert shown[0] == shown[1]
        return shown[0]["details"]

    for opens in (lambda: None, lambda: world.open_next(tournament_id)):
        opens()
        assert told() == told("anna") == {"byes": [], "out": [], "others": "bye"}
        assert told("olga")["tables"] == by_hand
    for match_id in ids(world, 2):
        play(world, match_id)
    world.close_rounds()
    assert told()["tables"] == by_hand


def sitting_in(world, match_id):
    """An entry of a match, as the judges know it."""
    with world.database.read() as session:
        at_table = select(Seat.entry_id).join(Match, Match.table_id == Seat.table_id)
        return session.scalars(at_table.where(Match.id == match_id).order_by(Seat.seat)).first()


def appealed(world, tournament_id, entry_id, **about):
    with world.database.begin() as session:
        return appeals.make(
            session,
            world.people["anna"],
            tournament_id,
            entry_id=entry_id,
            statement="It was player 2.",
            **about,
        ).id


def appeals_seen(world, tournament_id, name=None):
    """In the list; one by one the same must be seen."""
    listed = world.see(appeals.search, who(world, name), tournament_id, None, 100).items
    return [row.id for row in listed]


def found(world, appeal_id, name=None):
    try:
        return world.see(appeals.find, who(world, name), appeal_id).id
    except NotFound:
        return None


def feed(world, tournament_id, view=EventView.PUBLIC, name=None):
    """The events of a view."""
    with world.database.begin() as session:
        events.number_waiting(session, tournament_id)
    with world.database.read() as session:
        topic, wanted = event_feed.of_tournament(session, who(world, name), tournament_id, view)
        return list(event_feed.read(session, topic, wanted, 0, 1000).events)


def test_an_appeal_unmasks_nobody_while_the_round_runs(world, tournament_id):
    """Who appeals about a match says that he sits there."""
    first, second = ids(world)
    made = appealed(world, tournament_id, sitting_in(world, first), match_id=first)
    for name in (None, "bert", "oskar"):
        assert appeals_seen(world, tournament_id, name) == []
        assert found(world, made, name) is None
    for name in ("anna", "olga", "ada"):
        assert appeals_seen(world, tournament_id, name) == [made]
        assert found(world, made, name) == made
    for match_id in (first, second):
        play(world, match_id)
    world.close_rounds()
    assert appeals_seen(world, tournament_id) == [made]
    assert found(world, made) == made


@pytest.mark.parametrize("end", ["decide", "withdraw"])
def test_events_of_such_an_appeal_wait_for_the_reveal(world, tournament_id, end):
    first = ids(world)[0]
    made = appealed(world, tournament_id, sitting_in(world, first), match_id=first)
    if end == "withdraw":
        world.do(appeals.withdraw, "anna", made)
    else:
        world.do(appeals.decide, "olga", made, outcome="rejected", reason="No.")
    public = {event["kind"] for event in feed(world, tournament_id)}
    assert not {kind for kind in public if kind.startswith("appeal.")}
    kinds = [e["kind"] for e in feed(world, tournament_id, EventView.ARBITER, "olga")]
    assert [kind for kind in kinds if kind.startswith("appeal.")] == [
        "appeal.made",
        "appeal.decided" if end == "decide" else "appeal.withdrawn",
    ]
    world.act("cancel", tournament_id)
    later = [event["kind"] for event in feed(world, tournament_id, EventView.AFTER)]
    assert "appeal.made" in later


def test_an_appeal_against_a_ruling_about_a_table_of_the_round_waits_too(world, tournament_id):
    first = ids(world)[0]
    hers = sitting_in(world, first)
    ask = Ask(RulingKind.ANNUL, "the lights went out", match_id=first)
    ruling = world.do(rulings.make, "olga", tournament_id, ask)
    undone = world.do(
        rulings.make, "olga", tournament_id, Ask(RulingKind.WARN, "late", entry_id=hers)
    )
    made = appealed(world, tournament_id, hers, ruling_id=ruling.id)
    shown = appealed(world, tournament_id, hers, ruling_id=undone.id)
    assert appeals_seen(world, tournament_id) == [shown]
    assert (found(world, made), found(world, shown)) == (None, shown)
    assert appeals_seen(world, tournament_id, "olga") == [made, shown]


def test_an_appeal_about_a_round_that_has_ended_is_everybodys(world, tournament_id):
    first, second = ids(world)
    for match_id in (first, second):
        play(world, match_id)
    world.close_rounds()
    world.open_next(tournament_id)
    made = appealed(world, tournament_id, sitting_in(world, first), match_id=first)
    assert appeals_seen(world, tournament_id) == [made]
    assert "appeal.made" in {event["kind"] for event in feed(world, tournament_id)}


def test_without_pseudonyms_everybody_sees_it_at_once(world):
    made = world.started(5, capacity=5, rounds=1, appeal_window_s=600)
    (match_id,) = world.open_next(made)
    appeal = appealed(world, made, sitting_in(world, match_id), match_id=match_id)
    assert appeals_seen(world, made) == [appeal]
    assert "appeal.made" in {event["kind"] for event in feed(world, made)}


def test_a_judges_bot_learns_nothing_of_others_by_faults_and_appeals(world, tournament_id):
    """A token to play with says nothing of the tables (calls, faults and appeals among it)."""
    first = ids(world)[0]
    held = claimed(world, first)
    with world.database.begin() as session:
        log, faults = [(0, "pass", True)], [Slip(0, 0)]
        assert matches.checkpoint(session, first, held.epoch, 0, log, faults, 60)
    appealed(world, tournament_id, sitting_in(world, first), match_id=first)
    scopes = frozenset({"agents:read", "agents:play", "entries:write"})
    world.people["bot"] = replace(world.people["olga"], scopes=scopes)
    with pytest.raises(Forbidden):
        world.see(tables.search_faults, who(world, "bot"), first, None, 10)
    assert len(world.see(tables.search_faults, who(world, "olga"), first, None, 10).items) == 1
    assert appeals_seen(world, tournament_id, "bot") == []


def test_nothing_public_names_an_entry_together_with_a_match_of_the_round(world, tournament_id):
    """Whatever happens while it runs: no event and no ruling or appeal has both."""
    first, second = ids(world)
    one, other = sitting_in(world, first), sitting_in(world, second)
    claimed(world, first)
    appealed(world, tournament_id, one, match_id=first)
    world.do(entries.withdraw, "anna", other, world.entry(other).version)
    claimed(world, second)
    for ask in (
        Ask(RulingKind.WARN, "late", entry_id=one),
        Ask(RulingKind.PENALIZE, "late again", entry_id=one, round=1, points=-1),
        Ask(RulingKind.REPLAY, "the lights went out", match_id=first),
    ):
        world.do(rulings.make, "olga", tournament_id, ask)
    with world.database.read() as session:
        entrants = {entry.id for entry in session.scalars(select(Entry))}
        entrants |= {entry.name for entry in session.scalars(select(Entry))}
        running = set(session.scalars(select(Match.id)))
    listed = world.see(rulings.search, ANONYMOUS, tournament_id, None, 100).items
    shown = [str(getattr(row, "_mapping", row)) for row in listed]
    shown += [str(event) for event in feed(world, tournament_id)]
    assert len(running) == 3
    assert len(shown) > 15
    for text in shown:
        both = any(x in text for x in entrants) and any(x in text for x in running)
        assert not both, text
