"""Entries that wait, check in, come late, leave, come back, are replaced or put out."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select

from baohuang.api.errors import Conflict, Forbidden, Invalid, PreconditionFailed
from baohuang.api.models import Agent, AgentStatus, Match, Result, RulingKind, Seat, utc_now
from baohuang.api.services import (
    attendance,
    bulk_entries,
    entries,
    history,
    matches,
    next_round,
    own_seats,
    places,
    rounds,
    ruling_trial,
    rulings,
    standings,
    tables,
    tournaments,
)
from baohuang.api.services.ruling_case import Ask
from baohuang.engine.tournament.formats import FORMATS

from .playing import FakeMatch, claimed, deal, finish
from .racing import race

NOBODY_WINS = [deal([0, 0, 0, 0, 0])]


def code(refused):
    return refused.value.problem_code


def enter(world, tournament_id, *names, owner="anna"):
    """Agents of these names, entered in this order."""
    return [world.enter(tournament_id, world.agent(owner, name), owner) for name in names]


def states(world, tournament_id):
    """name -> state, house bots left out."""
    rows = world.entries(tournament_id, house_bot=None)
    return {row.name: row.status for row in rows}


def play_round(world, tournament_id, match=None):
    """Open the next round, play it, close it."""
    opened = world.open_next(tournament_id)
    for match_id in opened:
        finish(world, match_id, match and match())
    world.close_rounds()
    return opened


def seated(world, match_ids):
    """Entry ids at the tables of some matches."""
    of_matches = select(Seat.entry_id).join(Match, Match.table_id == Seat.table_id)
    with world.database.read() as session:
        return set(session.scalars(of_matches.where(Match.id.in_(match_ids))))


def withdraw(world, entry_id, who="anna"):
    world.do(entries.withdraw, who, entry_id, world.entry(entry_id).version)


def come_back(world, entry_id, who="anna"):
    return world.do(attendance.come_back, who, entry_id)


def table_of(world, tournament_id):
    """entry id -> its line of the standings."""
    page = world.see(standings.rows, world.people["anna"], tournament_id, None, 100)
    return {row["entry_id"]: row for row in page.items}


def pause_agent(world, entry_id):
    with world.database.begin() as session:
        agent_id = world.entry(entry_id).agent_id
        session.get_one(Agent, agent_id).status = AgentStatus.PAUSED


# -- the waiting list -----------------------------------------------------------------------------


def test_who_comes_to_a_full_tournament_waits_and_is_promoted_in_order(world):
    tournament_id = world.opened(capacity=5, waiting_list=2)
    five = enter(world, tournament_id, *"abcde")
    enter(world, tournament_id, "f", "g")
    assert list(states(world, tournament_id).values()) == ["entered"] * 5 + ["waiting"] * 2
    withdraw(world, five[2])
    assert states(world, tournament_id)["f"] == "entered"
    assert states(world, tournament_id)["g"] == "waiting"
    withdraw(world, five[0])
    assert states(world, tournament_id)["g"] == "entered"


def test_the_waiting_list_has_an_end(world):
    tournament_id = world.opened(capacity=5, waiting_list=1)
    enter(world, tournament_id, *"abcdef")
    with pytest.raises(Conflict) as refused:
        enter(world, tournament_id, "g")
    assert code(refused) == "tournament_full"


def test_who_waits_may_go_and_does_not_take_a_place(world):
    tournament_id = world.opened(capacity=5, waiting_list=2)
    *_, six, seven = enter(world, tournament_id, *"abcdefg")
    withdraw(world, six)
    assert states(world, tournament_id)["g"] == "waiting"
    assert world.entry(seven).status == "waiting"


def test_more_room_lets_those_in_who_waited_longest(world):
    tournament_id = world.opened(capacity=5, waiting_list=3)
    enter(world, tournament_id, *"abcdefgh")
    version = world.tournament(tournament_id).version
    world.do(tournaments.update_settings, "olga", tournament_id, version, {"capacity": 7})
    assert states(world, tournament_id) == {
        **dict.fromkeys("abcdefg", "entered"),
        "h": "waiting",
    }


def test_of_two_who_leave_at_once_each_lets_one_in(world):
    tournament_id = world.opened(capacity=5, waiting_list=3)
    first, second, *_ = enter(world, tournament_id, *"abcdefgh")
    race(lambda: withdraw(world, first), lambda: withdraw(world, second))
    assert list(states(world, tournament_id)) == list("cdefgh")
    assert list(states(world, tournament_id).values()) == ["entered"] * 5 + ["waiting"]


def test_who_waited_in_vain_is_told_so_at_the_start(world):
    tournament_id = world.opened(capacity=5, waiting_list=1)
    *_, six = enter(world, tournament_id, *"abcdef")
    world.act("start", tournament_id)
    late = world.entry(six)
    assert (late.status, late.reason, late.joined) == ("dropped", "No place became free.", None)
    assert six not in seated(world, world.open_next(tournament_id))


def test_an_owner_has_at_most_so_many_entries(world):
    tournament_id = world.opened(entries_per_owner=2)
    first, _ = enter(world, tournament_id, "a", "b")
    with pytest.raises(Conflict) as refused:
        enter(world, tournament_id, "c")
    assert code(refused) == "owner_cap"
    enter(world, tournament_id, "d", owner="bert")
    withdraw(world, first)
    enter(world, tournament_id, "e")
    assert list(states(world, tournament_id)) == ["b", "d", "e"]


# -- check-in -------------------------------------------------------------------------------------


def check_in(world, entry_id, who="anna"):
    return world.do(attendance.check_in, who, entry_id)


def test_who_does_not_check_in_is_dropped_before_the_draw_and_who_waits_and_did_gets_in(world):
    tournament_id = world.opened(capacity=5, waiting_list=3, check_in_s=600)
    everybody = enter(world, tournament_id, *"abcdefgh")
    for entry_id in (*everybody[:3], *everybody[6:]):  # not d, e, f
        check_in(world, entry_id)
    world.act("start", tournament_id)
    assert states(world, tournament_id) == {
        **dict.fromkeys("abcgh", "entered"),
        **dict.fromkeys("def", "dropped"),
    }
    assert world.entry(everybody[3]).reason == "It did not check in."
    (match_id,) = world.open_next(tournament_id)
    assert seated(world, [match_id]) == {*everybody[:3], *everybody[6:]}


def test_check_in_begins_at_its_time_before_the_start(world, monkeypatch):
    start = utc_now() + timedelta(hours=2)
    tournament_id = world.opened(check_in_s=3600, starts_at=start)
    (entry_id,) = enter(world, tournament_id, "a")
    with pytest.raises(Conflict) as refused:
        check_in(world, entry_id)
    assert code(refused) == "check_in_closed"
    opens = start - timedelta(seconds=3600)
    assert attendance.check_in_opens_at(world.tournament(tournament_id)) == opens
    monkeypatch.setattr(attendance, "utc_now", lambda: opens)
    assert check_in(world, entry_id).checked_in_at == opens


def test_checking_in_twice_keeps_the_first_time(world):
    tournament_id = world.opened(check_in_s=600)
    (entry_id,) = enter(world, tournament_id, "a")
    first = check_in(world, entry_id)
    again = check_in(world, entry_id)
    assert (again.checked_in_at, again.version) == (first.checked_in_at, first.version)


def test_check_in_is_for_the_owner_and_the_organizer_and_where_it_is_asked(world):
    asked, not_asked = world.opened(check_in_s=600), world.opened()
    (entry_id,) = enter(world, asked, "a")
    for stranger in ("bert", "oskar"):
        with pytest.raises(Forbidden):
            check_in(world, entry_id, stranger)
    check_in(world, entry_id, "olga")
    (other,) = enter(world, not_asked, "b")
    with pytest.raises(Conflict) as refused:
        check_in(world, other)
    assert code(refused) == "no_check_in"


def test_a_start_without_anybody_who_checked_in_is_refused_and_drops_nobody(world):
    tournament_id = world.opened(check_in_s=600)
    (entry_id,) = enter(world, tournament_id, "a")
    with pytest.raises(Conflict) as refused:
        world.act("start", tournament_id)
    assert code(refused) == "no_entries"
    assert world.entry(entry_id).status == "entered"


def test_at_its_time_a_tournament_in_which_nobody_checked_in_stays_open_and_says_so(
    world, monkeypatch
):
    start = utc_now() + timedelta(minutes=5)
    tournament_id = world.opened(check_in_s=60, starts_at=start)
    enter(world, tournament_id, "a")
    monkeypatch.setattr(tournaments, "utc_now", lambda: start)
    with world.database.begin() as session:
        assert not tournaments.start_due(session, tournament_id)
    stays = world.tournament(tournament_id)
    assert (stays.status, stays.starts_at) == ("open", None)
    assert stays.status_reason == "Nobody had checked in when it was to start."


def test_too_few_who_checked_in_are_told_from_too_few_who_entered(world, monkeypatch):
    start = utc_now() + timedelta(minutes=5)
    tournament_id = world.opened(check_in_s=600, starts_at=start, min_entries=2)
    there, _ = enter(world, tournament_id, "a", "b")
    check_in(world, there)
    monkeypatch.setattr(tournaments, "utc_now", lambda: start)
    with world.database.begin() as session:
        assert not tournaments.start_due(session, tournament_id)
    stays = world.tournament(tournament_id)
    assert stays.status_reason == "1 of 2 entries had checked in when it was to start."


def test_house_bots_that_the_organizer_entered_need_not_check_in(world):
    tournament_id = world.opened(check_in_s=600)
    world.do(entries.enter_house_bot, "olga", tournament_id, "greedy")
    world.act("start", tournament_id)
    assert [e.status for e in world.entries(tournament_id)] == ["entered"] * 5


# -- late entry -----------------------------------------------------------------------------------


def test_a_late_entry_takes_over_from_a_house_bot_and_has_missed_what_was_before(world):
    tournament_id = world.started(agents=4, rounds=3, late_entry_round=2)
    first = world.open_next(tournament_id)
    (late,) = enter(world, tournament_id, "late", owner="bert")
    assert world.entry(late).joined == 2
    assert late not in seated(world, first)
    finish(world, first[0])
    world.close_rounds()
    second = world.open_next(tournament_id)
    assert late in seated(world, second)
    assert not any(e.fills and e.id in seated(world, second) for e in world.entries(tournament_id))
    with pytest.raises(Conflict) as refused:
        enter(world, tournament_id, "too-late")
    assert code(refused) == "tournament_running"


def test_without_late_entry_a_started_tournament_takes_nobody(world):
    tournament_id = world.started(agents=4)
    with pytest.raises(Conflict) as refused:
        enter(world, tournament_id, "late")
    assert code(refused) == "tournament_running"


def test_a_late_entry_changes_neither_the_hash_nor_anybodys_lot(world):
    tournament_id = world.started(agents=7, rounds=3, late_entry_round=3)
    play_round(world, tournament_id)
    before = world.tournament(tournament_id).entrants_hash
    lots = {e.id: e.lot for e in world.entries(tournament_id)}
    (late,) = enter(world, tournament_id, "late", owner="bert")
    play_round(world, tournament_id)
    assert world.tournament(tournament_id).entrants_hash == before
    assert world.entry(late).lot is not None
    assert lots.items() <= {e.id: e.lot for e in world.entries(tournament_id)}.items()


def test_a_place_that_becomes_free_while_late_entry_is_open_goes_to_who_waits(world):
    tournament_id = world.opened(capacity=5, waiting_list=1, late_entry_round=2, rounds=3)
    five = enter(world, tournament_id, *"abcde")
    (six,) = enter(world, tournament_id, "f")
    world.act("start", tournament_id)
    assert world.entry(six).status == "waiting"
    play_round(world, tournament_id)
    withdraw(world, five[0])
    assert (world.entry(six).status, world.entry(six).joined) == ("entered", 2)
    assert seated(world, world.open_next(tournament_id)) == {*five[1:], six}


def test_a_knockout_takes_late_entries_only_where_a_house_bot_sits_in_the_groups(world):
    options = {"group_rounds": 2, "stage_rounds": 1, "final_rounds": 1}
    tournament_id = world.started(
        agents=9, format="knockout", format_options=options, rounds=None, late_entry_round=9
    )
    first = world.open_next(tournament_id)
    (late,) = enter(world, tournament_id, "late", owner="bert")
    with pytest.raises(Conflict):
        enter(world, tournament_id, "no-seat", owner="bert")
    for match_id in first:
        finish(world, match_id)
    world.close_rounds()
    assert late in seated(world, world.open_next(tournament_id))
    withdraw(world, late, "bert")
    with pytest.raises(Conflict):
        enter(world, tournament_id, "after-the-groups", owner="bert")


# -- withdrawal and return ------------------------------------------------------------------------


def test_who_withdraws_is_not_seated_from_the_next_round_on_and_keeps_its_points(world):
    tournament_id = world.started(agents=5, rounds=3)
    play_round(world, tournament_id)
    gone = next(e.id for e in world.entries(tournament_id))
    points = table_of(world, tournament_id)[gone]["points"]
    withdraw(world, gone)
    assert world.entry(gone).left == 2
    second = play_round(world, tournament_id)
    at_table = seated(world, second)
    (house,) = at_table - {e.id for e in world.entries(tournament_id, house_bot=None)}
    assert gone not in at_table
    assert world.entry(house).status == "entered", "a spare house bot took the place"
    line = table_of(world, tournament_id)[gone]
    assert (line["points"], line["rounds"], line["status"]) == (points, 1, "withdrawn")


def test_a_withdrawal_before_the_first_draw_leaves_the_entry_out_of_all_rounds(world):
    tournament_id = world.started(agents=6)
    gone = next(e.id for e in world.entries(tournament_id))
    withdraw(world, gone)
    assert world.entry(gone).left == 1
    assert gone not in seated(world, world.open_next(tournament_id))


def test_a_tournament_that_ends_before_its_first_round_still_lists_who_had_a_place(world):
    tournament_id = world.started(agents=3)
    for entry in world.entries(tournament_id, house_bot=None):
        withdraw(world, entry.id)
    assert world.open_next(tournament_id) == []
    assert world.tournament(tournament_id).status == "finished"
    lines = table_of(world, tournament_id).values()
    withdrawn = [(x["rank"], x["points"], x["status"]) for x in lines if not x["house"]]
    assert withdrawn == [(1, 0, "withdrawn")] * 3


def test_the_match_that_has_begun_is_finished_by_whom_it_began_with(world):
    _, (match_id,) = world.playing(agents=5)
    plan = claimed(world, match_id, lease_s=-1).seats[0]
    withdraw(world, plan.entry_id)
    assert claimed(world, match_id).seats[0] == plan


def test_a_match_that_has_not_begun_has_a_stand_in_whose_points_are_nobodys(world):
    tournament_id, (match_id,) = world.playing(agents=5)
    gone = next(e.id for e in world.entries(tournament_id))
    withdraw(world, gone)
    held = claimed(world, match_id, lease_s=-1)
    seat = [plan.entry_id for plan in held.seats].index(gone)
    assert (held.seats[seat].house_bot, held.seats[seat].agent_id) == ("greedy", None)
    scores = [-1] * 5
    scores[seat] = 4
    finish(world, match_id, FakeMatch(deals_done=[deal(scores, emperor=seat, solo="open")]))
    with world.database.begin() as session:
        standings.refresh(session, tournament_id)
    table = table_of(world, tournament_id)
    assert (table[gone]["points"], table[gone]["deals"], table[gone]["rounds"]) == (0, 0, 0)
    assert [row["points"] for x, row in table.items() if x != gone] == [-1] * 4
    shown = world.see(tables.find_match, world.people["bert"], match_id)["seats"][seat]
    assert shown["player"] == {
        "agent_id": None,
        "house_bot": "greedy",
        "stand_in": True,
        "version": None,
    }


@pytest.mark.parametrize(("no_show", "bot"), [("house_bot", "random"), ("autoplay", "autoplay")])
def test_who_does_not_show_up_is_played_for_by_the_policys_bot(world, no_show, bot):
    tournament_id, (match_id,) = world.playing(agents=5, no_show=no_show, house_bot="random")
    absent = next(e.id for e in world.entries(tournament_id))
    pause_agent(world, absent)
    seats = {plan.entry_id: plan.house_bot for plan in claimed(world, match_id).seats}
    assert seats.pop(absent) == bot
    assert set(seats.values()) == {None}
    match = FakeMatch()
    with world.database.begin() as session:
        assert matches.finish(session, match_id, 1, match, match.log, [])
    with world.database.read() as session:
        rows = session.execute(
            select(Result.entry_id, Result.house_bot, Result.stand_in).where(Result.stand_in)
        ).all()
    assert rows == [(absent, bot, True)]


def test_coming_back_earns_nothing_for_the_rounds_between(world):
    tournament_id = world.started(agents=7, rounds=4, format_options={"fill": "bye", "effort": 1})
    away = next(e.id for e in world.entries(tournament_id))
    play_round(world, tournament_id)
    withdraw(world, away)
    for _ in range(2):
        assert away not in seated(world, play_round(world, tournament_id))
    before = table_of(world, tournament_id)[away]
    back = come_back(world, away)
    assert (back.status, back.left, back.absent) == ("entered", None, [2, 3])
    after = table_of(world, tournament_id)[away]
    for fact in ("points", "byes", "rounds", "deals", "places"):
        assert after[fact] == before[fact]
    assert away in seated(world, play_round(world, tournament_id)), "it had fewest rounds"


def test_leaving_and_coming_back_within_a_round_misses_none(world):
    tournament_id = world.started(agents=5, rounds=2)
    opened = world.open_next(tournament_id)
    entry_id = next(e.id for e in world.entries(tournament_id))
    claimed(world, opened[0], lease_s=-1)
    withdraw(world, entry_id)
    back = come_back(world, entry_id)
    assert (back.absent, back.left) == ([], None)
    finish(world, opened[0])
    world.close_rounds()
    assert entry_id in seated(world, world.open_next(tournament_id))


def test_only_who_withdrew_and_has_an_active_agent_comes_back(world):
    tournament_id = world.started(agents=5, rounds=2)
    first = world.entries(tournament_id)[0].id
    with pytest.raises(Conflict) as refused:
        come_back(world, first)
    assert code(refused) == "entry_entered"
    withdraw(world, first)
    with pytest.raises(Forbidden):
        come_back(world, first, "bert")
    pause_agent(world, first)
    with pytest.raises(Conflict) as refused:
        come_back(world, first)
    assert code(refused) == "agent_not_active"


def test_a_place_that_another_has_taken_is_not_there_to_come_back_to(world):
    tournament_id = world.opened(capacity=5, waiting_list=1, late_entry_round=3, rounds=3)
    ids = enter(world, tournament_id, "a", "b", "c", "d", "e", "f")
    world.act("start", tournament_id)
    play_round(world, tournament_id)
    withdraw(world, ids[0])
    statuses = {e.id: e.status for e in world.entries(tournament_id, house_bot=None)}
    assert [statuses[entry_id] for entry_id in (ids[0], ids[5])] == ["withdrawn", "entered"]
    with pytest.raises(Conflict) as refused:
        come_back(world, ids[0])
    assert code(refused) == "tournament_full"
    withdraw(world, ids[5])
    assert come_back(world, ids[0]).status == "entered"


def test_a_withdrawal_after_the_start_needs_the_current_version_and_happens_once(world):
    tournament_id = world.started(agents=5)
    entry = world.entries(tournament_id)[0]
    with pytest.raises(PreconditionFailed):
        world.do(entries.withdraw, "anna", entry.id, entry.version + 1)
    withdraw(world, entry.id)
    with pytest.raises(Conflict) as refused:
        withdraw(world, entry.id)
    assert code(refused) == "already_withdrawn"


def test_house_bots_stay_to_the_end(world):
    tournament_id = world.started(agents=4)
    (house,) = world.entries(tournament_id, fills=True)
    with pytest.raises(Conflict) as refused:
        withdraw(world, house.id, "olga")
    assert code(refused) == "house_entry"


def test_house_bots_are_kept_ready_for_whoever_else_leaves(world):
    tournament_id = world.started(agents=10, rounds=3)
    assert not world.entries(tournament_id, fills=True)
    ten = [e.id for e in world.entries(tournament_id)]
    for entry_id in ten[:3]:
        withdraw(world, entry_id)
    spare = world.entries(tournament_id, fills=True)
    assert [e.status for e in spare] == ["spare"] * places.SPARES
    play_round(world, tournament_id)
    used = [e.status for e in world.entries(tournament_id, fills=True)]
    assert used == ["entered"] * 3 + ["spare"]


def test_standings_as_of_a_round_do_not_know_who_came_later(world):
    tournament_id = world.started(agents=5, rounds=3, late_entry_round=3)
    play_round(world, tournament_id)
    (late,) = enter(world, tournament_id, "late")
    play_round(world, tournament_id)

    def listed(**how):
        page = world.see(standings.rows, world.people["anna"], tournament_id, None, 100, **how)
        return {row["entry_id"] for row in page.items}

    assert late not in listed(as_of=1)
    assert listed(as_of=1) == listed(as_of=1, view="frozen")
    assert late in listed(as_of=2)


def test_who_was_dropped_at_check_in_returns_as_a_late_entry(world):
    tournament_id = world.opened(check_in_s=600, late_entry_round=3, rounds=3, capacity=6)
    here, gone = enter(world, tournament_id, "here", "gone")
    world.do(attendance.check_in, "anna", here)
    world.act("start", tournament_id)
    assert world.entry(gone).status == "dropped"
    with pytest.raises(Conflict) as refused:
        come_back(world, gone)
    assert code(refused) == "late_entry_closed", "not before round 1 is drawn"
    play_round(world, tournament_id)
    with pytest.raises(Conflict) as refused:
        world.enter(tournament_id, world.entry(gone).agent_id, "anna")
    assert code(refused) == "already_entered"
    back = come_back(world, gone)
    assert (back.status, back.reason, back.joined, back.absent) == ("entered", None, 2, [])
    assert gone in seated(world, play_round(world, tournament_id))
    play_round(world, tournament_id)


def test_who_was_dropped_stays_out_where_late_entries_are_not_let_in(world):
    tournament_id = world.opened(check_in_s=600, rounds=3)
    here, gone = enter(world, tournament_id, "here", "gone")
    world.do(attendance.check_in, "anna", here)
    world.act("start", tournament_id)
    play_round(world, tournament_id)
    with pytest.raises(Conflict) as refused:
        come_back(world, gone)
    assert code(refused) == "late_entry_closed"


def test_many_late_entries_take_no_more_places_than_a_knockout_has(world):
    """Nine and a house bot at two tables: one seat can be taken over."""
    options = {"group_rounds": 3, "advance": 1}
    tournament_id = world.opened(
        format="knockout", format_options=options, rounds=None, capacity=20, waiting_list=2,
        late_entry_round=3,
    )  # fmt: skip
    enter(world, tournament_id, *"abcdefghi")
    world.act("start", tournament_id)
    play_round(world, tournament_id)
    wishes = [bulk_entries.Wish(agent_id=world.agent("bert", name)) for name in "xyzw"]
    with pytest.raises(Conflict) as refused:
        world.do(bulk_entries.enter_all, "bert", tournament_id, wishes)
    assert [error.pointer for error in refused.value.errors] == ["/entries/3"]
    made = world.do(bulk_entries.enter_all, "bert", tournament_id, wishes[:3])
    assert [entry.status for entry in made] == ["entered", "waiting", "waiting"]
    withdraw(world, made[0].id, "bert")
    assert world.entry(made[1].id).status == "entered"


# -- substitutes and disqualification -------------------------------------------------------------


def test_a_substitute_plays_from_the_next_match_on_and_is_noted(world):
    tournament_id = world.started(agents=5, rounds=2)
    first = world.open_next(tournament_id)
    entry = world.entries(tournament_id)[0]
    begun = claimed(world, first[0], lease_s=-1)
    other = world.agent("bert", "fox")
    made = world.do(attendance.substitute, "olga", entry.id, other, "its server burnt")
    assert (made.agent_id, made.name) == (other, entry.name)
    (change,) = made.substitutions
    assert (change["replaced"], change["agent_id"], change["round"]) == (entry.agent_id, other, 1)
    assert change["reason"] == "its server burnt"
    assert claimed(world, first[0], lease_s=-1).seats == begun.seats
    finish(world, first[0])
    world.close_rounds()
    second = world.open_next(tournament_id)
    assert other in {plan.agent_id for plan in claimed(world, second[0]).seats}
    with world.database.read() as session:
        played = select(Result.agent_id).where(Result.entry_id == entry.id)
        assert session.scalars(played).all() == [entry.agent_id]


def test_what_an_agent_played_stays_its_owners_business(world):
    tournament_id, (match_id,) = world.playing(agents=5)
    held = claimed(world, match_id, lease_s=-1)
    entry = world.entries(tournament_id)[0]
    seat = [plan.entry_id for plan in held.seats].index(entry.id)
    world.do(attendance.substitute, "olga", entry.id, world.agent("bert", "fox"))
    assert seat in world.see(own_seats.own_seats, world.people["anna"], match_id)
    assert world.see(own_seats.own_seats, world.people["bert"], match_id) == set()
    assert world.see(own_seats.agent_at, match_id, seat).id == entry.agent_id


def test_a_substitute_whose_partner_of_a_forbidden_pair_takes_part_is_refused(world):
    one, other = world.agent("anna", "one"), world.agent("bert", "other")
    tournament_id = world.opened(capacity=5, forbidden_pairs=[[one, other]], rounds=2)
    first = world.enter(tournament_id, one, "anna")
    (second,) = enter(world, tournament_id, "second")
    world.act("start", tournament_id)
    with pytest.raises(Conflict) as refused:
        world.do(attendance.substitute, "olga", second, other)
    assert code(refused) == "forbidden_pair"
    assert world.do(attendance.substitute, "olga", first, other).agent_id == other


def test_who_enters_late_does_not_meet_the_substitute_that_it_must_not_meet(world):
    one, other = world.agent("anna", "one"), world.agent("bert", "other")
    tournament_id = world.opened(
        capacity=11, forbidden_pairs=[[one, other]], rounds=3, format="swiss", late_entry_round=3,
    )  # fmt: skip
    second, *_ = enter(world, tournament_id, *"abcdefghi")
    world.act("start", tournament_id)
    world.do(attendance.substitute, "olga", second, other)
    play_round(world, tournament_id)
    late = world.enter(tournament_id, one, "anna")
    with world.database.read() as session:
        state = history.state(session, world.tournament(tournament_id))
    assert {frozenset(pair) for pair in state.forbidden} == {frozenset((late, second))}
    for match_id in play_round(world, tournament_id):
        assert not {late, second} <= seated(world, [match_id])


def test_only_the_organizer_puts_in_a_substitute_and_only_a_fresh_one(world):
    tournament_id = world.started(agents=5)
    first, second, *_ = world.entries(tournament_id)
    fresh = world.agent("anna", "fresh")
    with pytest.raises(Forbidden):
        world.do(attendance.substitute, "anna", first.id, fresh)
    with pytest.raises(Conflict) as refused:
        world.do(attendance.substitute, "olga", first.id, second.agent_id)
    assert code(refused) == "already_entered"
    world.do(attendance.substitute, "olga", first.id, fresh)
    with pytest.raises(Conflict) as refused:
        world.do(attendance.substitute, "olga", second.id, first.agent_id)
    assert code(refused) == "already_entered", "it took part before its own substitute"
    with pytest.raises(Invalid):
        world.do(attendance.substitute, "olga", first.id, "01ARZ3NDEKTSV4RRFFQ69G5FAV")


def rule(world, tournament_id, kind, who="olga", **facts):
    ask = Ask(RulingKind(kind), "Because.", **facts)
    return world.do(rulings.make, who, tournament_id, ask)


def test_the_disqualified_are_not_seated_any_more_ranked_last_and_do_not_come_back(world):
    tournament_id = world.started(agents=5, rounds=2)
    play_round(world, tournament_id)
    best = next(iter(table_of(world, tournament_id)))
    rule(world, tournament_id, "disqualify", entry_id=best)
    put_out = world.entry(best)
    assert (put_out.status, put_out.reason, put_out.left) == ("disqualified", "Because.", 2)
    for attempt in (lambda: come_back(world, best), lambda: withdraw(world, best)):
        with pytest.raises(Conflict) as refused:
            attempt()
        assert code(refused) == "entry_disqualified"
    second = play_round(world, tournament_id)
    assert best not in seated(world, second)
    assert list(table_of(world, tournament_id))[-1] == best


def test_a_disqualification_that_is_undone_has_cost_the_rounds_between(world):
    tournament_id = world.started(agents=5, rounds=3)
    play_round(world, tournament_id)
    entry_id = world.entries(tournament_id)[0].id
    made = rule(world, tournament_id, "disqualify", entry_id=entry_id)
    play_round(world, tournament_id)
    rule(world, tournament_id, "undo", ruling_id=made.id)
    back = world.entry(entry_id)
    assert (back.status, back.left, back.absent, back.reason) == ("entered", None, [2], None)
    assert entry_id in seated(world, world.open_next(tournament_id))


def test_who_had_withdrawn_before_stays_withdrawn_when_its_disqualification_is_undone(world):
    tournament_id = world.started(agents=5, rounds=3)
    play_round(world, tournament_id)
    entry_id = world.entries(tournament_id)[0].id
    withdraw(world, entry_id)
    made = rule(world, tournament_id, "disqualify", entry_id=entry_id)
    rule(world, tournament_id, "undo", ruling_id=made.id)
    assert (world.entry(entry_id).status, world.entry(entry_id).left) == ("withdrawn", 2)


def test_who_waits_gets_the_place_of_the_disqualified_while_late_entries_are_let_in(world):
    tournament_id = world.opened(capacity=5, waiting_list=2, late_entry_round=3, rounds=4)
    first, second, third, *_, six, seven = enter(world, tournament_id, *"abcdefg")
    world.act("start", tournament_id)
    play_round(world, tournament_id)
    made = rule(world, tournament_id, "disqualify", entry_id=first)
    assert (world.entry(six).status, world.entry(six).joined) == ("entered", 2)
    assert world.entry(seven).status == "waiting"
    assert seated(world, play_round(world, tournament_id)) == {
        second, third, six, *(e.id for e in world.entries(tournament_id)[3:5])
    }  # fmt: skip
    rule(world, tournament_id, "undo", ruling_id=made.id)
    assert [world.entry(e).status for e in (first, six, seven)] == ["entered", "entered", "waiting"]
    rule(world, tournament_id, "disqualify", entry_id=second)
    assert world.entry(seven).status == "waiting", "six were five too many"
    rule(world, tournament_id, "disqualify", entry_id=third)
    assert world.entry(seven).status == "entered"


def test_a_place_that_becomes_free_before_round_1_is_drawn_is_given_away_with_it(world):
    """Its draw is of those who were there at the start, so not sooner."""
    tournament_id = world.opened(capacity=6, waiting_list=1, late_entry_round=3, rounds=3)
    first, *rest, seven = enter(world, tournament_id, *"abcdefg")
    world.act("start", tournament_id)
    withdraw(world, first)
    assert world.entry(seven).status == "waiting"
    assert seven not in seated(world, play_round(world, tournament_id))
    assert (world.entry(seven).status, world.entry(seven).joined) == ("entered", 2)
    assert {*rest, seven} <= seated(world, play_round(world, tournament_id))


def test_a_disqualification_that_is_tried_out_lets_nobody_in(world):
    tournament_id = world.opened(capacity=5, waiting_list=1, late_entry_round=3, rounds=4)
    first, *_, six = enter(world, tournament_id, *"abcdef")
    world.act("start", tournament_id)
    play_round(world, tournament_id)
    ask = Ask(RulingKind.DISQUALIFY, "Because.", entry_id=first)
    with world.database.begin() as session:
        tried = ruling_trial.tried(session, world.vault, world.people["olga"], tournament_id, ask)
    found = tried.differences()
    assert six in found["seating"]["after"]["tables"][0]
    assert (world.entry(first).status, world.entry(six).status) == ("entered", "waiting")


# -- seeds, owners, forbidden pairs, tables by hand -----------------------------------------------


def test_seeds_are_the_organizers_before_the_start(world):
    tournament_id = world.opened()
    (entry_id,) = enter(world, tournament_id, "a")
    with pytest.raises(Forbidden):
        world.do(entries.set_seed, "anna", entry_id, 1, 1)
    assert world.do(entries.set_seed, "olga", entry_id, 1, 3).seed == 3
    world.act("start", tournament_id)
    with pytest.raises(Conflict):
        world.do(entries.set_seed, "olga", entry_id, world.entry(entry_id).version, 1)


@pytest.mark.parametrize("name", ["swiss", "knockout"])
def test_seeds_reach_the_format(world, name):
    """One of each fifth of the seeds at every table; the strongest came last."""
    options = {"first_round": "pots"} if name == "swiss" else {}
    rounds_ = None if name == "knockout" else 2
    tournament_id = world.opened(format=name, format_options=options, rounds=rounds_)
    seeds = {x: 10 - k for k, x in enumerate(enter(world, tournament_id, *"abcdefghij"))}
    for entry_id, seed in seeds.items():
        world.do(entries.set_seed, "olga", entry_id, world.entry(entry_id).version, seed)
    world.act("start", tournament_id)
    for match_id in world.open_next(tournament_id):
        fifths = {(seeds[x] - 1) // 2 for x in seated(world, [match_id])}
        assert fifths == {0, 1, 2, 3, 4}


def test_one_owners_agents_are_kept_apart(world):
    tournament_id = world.opened(format="swiss", rounds=2)
    mine = enter(world, tournament_id, "a", "b", "c")
    enter(world, tournament_id, *"defghijklmno", owner="bert")
    world.act("start", tournament_id)
    for _ in range(2):
        opened = world.open_next(tournament_id)
        at_tables = [seated(world, [match_id]) for match_id in opened]
        assert all(len(table & set(mine)) == 1 for table in at_tables)
        for match_id in opened:
            finish(world, match_id, FakeMatch(deals_done=NOBODY_WINS))
        world.close_rounds()


def test_forbidden_pairs_never_meet_and_a_substitute_inherits_them(world):
    wolf, fox = world.agent("anna", "wolf"), world.agent("bert", "fox")
    tournament_id = world.opened(format="swiss", rounds=4, forbidden_pairs=[[wolf, fox]])
    apart = {world.enter(tournament_id, wolf), world.enter(tournament_id, fox, "bert")}
    enter(world, tournament_id, *"cdefghij")
    world.act("start", tournament_id)
    for number in range(4):
        if number == 2:
            other = world.agent("bert", "other")
            world.do(attendance.substitute, "olga", min(apart), other)
        opened = world.open_next(tournament_id)
        assert not any(apart <= seated(world, [match_id]) for match_id in opened)
        for match_id in opened:
            finish(world, match_id)
        world.close_rounds()


def test_forbidden_pairs_are_of_two_agents_that_there_are(world):
    wolf = world.agent("anna", "wolf")
    with pytest.raises(Invalid) as refused:
        world.draft(forbidden_pairs=[[wolf, wolf], [wolf, "01ARZ3NDEKTSV4RRFFQ69G5FAV"]])
    assert [e.pointer for e in refused.value.errors] == [
        "/forbidden_pairs/0",
        "/forbidden_pairs/1/1",
    ]


@pytest.fixture
def stuck(world):
    """Two who must not meet are among five: the tournament, the five entries, a fresh agent."""
    wolf, fox = world.agent("anna", "wolf"), world.agent("bert", "fox")
    tournament_id = world.opened(forbidden_pairs=[[wolf, fox]], rounds=2)
    five = [world.enter(tournament_id, wolf), world.enter(tournament_id, fox, "bert")]
    five += enter(world, tournament_id, *"cde")
    world.act("start", tournament_id)
    assert world.open_next(tournament_id) == []
    return tournament_id, five


def test_what_cannot_be_seated_needs_attention_says_why_by_name_and_is_not_tried_again(
    world, stuck
):
    tournament_id, _ = stuck
    found = world.tournament(tournament_id)
    assert found.status == "needs_attention"
    assert found.status_reason == (
        "Round 1 cannot be seated: these must not meet but have to: wolf and fox"
    )
    with world.database.read() as session:
        assert rounds.due(session) == []
    world.act("resume", tournament_id)
    assert world.open_next(tournament_id) == []
    assert world.tournament(tournament_id).status == "needs_attention"


def test_what_cannot_be_seated_is_seated_by_hand_and_goes_on(world, stuck):
    tournament_id, five = stuck
    rule(world, tournament_id, "seat", tables=[five])
    world.act("resume", tournament_id)
    (match_id,) = world.open_next(tournament_id)
    assert [plan.entry_id for plan in claimed(world, match_id, lease_s=-1).seats] == five
    finish(world, match_id)
    world.close_rounds()
    assert world.open_next(tournament_id) == []
    assert world.tournament(tournament_id).status == "needs_attention", "the format is asked again"


def test_spare_house_bots_can_be_seated_by_hand(world, stuck):
    tournament_id, five = stuck
    spare = [e.id for e in world.entries(tournament_id, fills=True)]
    by_hand = [five[0], *five[2:], spare[0]]
    rule(world, tournament_id, "seat", tables=[by_hand])
    world.act("resume", tournament_id)
    (match_id,) = world.open_next(tournament_id)
    assert seated(world, [match_id]) == {*by_hand}
    assert world.see(rounds.find, world.people["anna"], tournament_id, 1).byes == [five[1]]
    assert world.entry(spare[0]).status == "entered"


def test_tables_by_hand_that_no_longer_fit_need_attention(world, stuck):
    tournament_id, five = stuck
    rule(world, tournament_id, "seat", tables=[five])
    world.act("resume", tournament_id)
    withdraw(world, five[2])
    assert world.open_next(tournament_id) == []
    found = world.tournament(tournament_id)
    assert found.status == "needs_attention"
    assert "seats c, who do not take part in it" in found.status_reason


def test_only_the_organizer_asks_for_a_round_and_only_between_rounds(world):
    tournament_id, _ = world.playing(agents=5, rounds=3)
    with pytest.raises(Forbidden):
        world.do(next_round.ask, "anna", tournament_id)
    with pytest.raises(Conflict) as refused:
        world.do(next_round.ask, "olga", tournament_id)
    assert code(refused) == "round_running"


def test_the_next_round_may_be_asked_for_before_or_after_its_time(world, monkeypatch):
    tournament_id, opened = world.playing(agents=5, rounds=3, round_interval_s=3600)
    finish(world, opened[0])
    world.close_rounds()
    assert world.open_next(tournament_id) == []
    later = utc_now() + timedelta(hours=5)
    asked = world.do(next_round.ask, "olga", tournament_id, at=later)
    assert asked.next_round_at == later
    assert world.open_next(tournament_id) == []
    world.do(next_round.ask, "olga", tournament_id)
    assert len(world.open_next(tournament_id)) == 1


def test_when_the_last_agent_leaves_the_tournament_ends_with_a_reason(world):
    tournament_id = world.started(agents=2, rounds=5)
    play_round(world, tournament_id)
    for entry in world.entries(tournament_id, house_bot=None):
        withdraw(world, entry.id)
    assert world.open_next(tournament_id) == []
    ended = world.tournament(tournament_id)
    assert (ended.status, ended.status_reason) == ("finished", "Every agent has withdrawn.")


@pytest.mark.parametrize("more", [{"advance": "manual"}, {"round_interval_s": 86_400}])
def test_when_the_last_agent_leaves_nobody_waits_for_the_next_round(world, more):
    tournament_id, opened = world.playing(agents=3, rounds=5, **more)
    for entry in world.entries(tournament_id, house_bot=None)[:-1]:
        withdraw(world, entry.id)
    finish(world, opened[0])
    world.close_rounds()
    assert world.see(rounds.due) == []
    withdraw(world, world.entries(tournament_id, status="entered", house_bot=None)[0].id)
    assert world.see(rounds.due) == [tournament_id]
    assert world.open_next(tournament_id) == []
    ended = world.tournament(tournament_id)
    assert (ended.status, ended.status_reason) == ("finished", "Every agent has withdrawn.")


# -- whatever happens, it can be replayed ---------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "single_table"])
def test_what_was_drawn_amid_comings_and_goings_is_what_anybody_draws_again(world, name):
    more = {"knockout": {"rounds": None, "format_options": {"group_rounds": 4}}}
    tournament_id = world.started(
        agents=13, format=name, late_entry_round=3, **more.get(name, {"rounds": 4})
    )
    ids = [e.id for e in world.entries(tournament_id, house_bot=None)]
    for happening in (
        lambda: withdraw(world, ids[0]),
        lambda: [withdraw(world, ids[1]), come_back(world, ids[0])],
        lambda: rule(world, tournament_id, "disqualify", entry_id=ids[2]),
    ):
        play_round(world, tournament_id)
        happening()
        if places_open(world, tournament_id):
            enter(world, tournament_id, f"late-{len(world.entries(tournament_id))}")
    world.open_next(tournament_id)
    with world.database.read() as session:
        tournament = world.tournament(tournament_id)
        state = history.drawing_state(session, world.vault, tournament)
    replayed, course = [], None
    for number in range(1, len(state.rounds) + 1):
        before = tuple(r for r in state.results if r.round < number)
        asked = replace(state, rounds=state.rounds[: number - 1], results=before, course=course)
        decision = FORMATS[name].next_round(asked)
        replayed.append(decision.round)
        course = decision.course
    assert tuple(replayed) == state.rounds


def places_open(world, tournament_id):
    with world.database.read() as session:
        return places.late_open(session, world.tournament(tournament_id))
