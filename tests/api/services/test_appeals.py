"""Appeals: by owners, in time, once; decided by arbiters; nothing changes but by a ruling."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from baohuang.api.errors import Conflict, Forbidden, Invalid
from baohuang.api.models import AuditRow, Event, Match, Role, RulingKind, Seat
from baohuang.api.services import appeals, rulings
from baohuang.api.services.principal import ANONYMOUS
from baohuang.api.services.ruling_case import Ask

from .playing import FakeMatch, deal, finish

WINDOW = 600


@pytest.fixture
def cup(world):
    """Five agents of anna's after round 1: the tournament, an entry, its match."""
    world.person("arthur", Role.ARBITER)
    tournament_id, (match_id,) = world.playing(agents=5, rounds=2, appeal_window_s=WINDOW)
    finish(world, match_id, FakeMatch([deal([5, 4, -2, -3, -4])]))
    world.close_rounds()
    return tournament_id, world.entries(tournament_id)[0].id, match_id


def appeal(world, tournament_id, entry_id, who="anna", **about):
    fields = {"statement": "The last trick was mine.", **about}
    return world.do(appeals.make, who, tournament_id, entry_id=entry_id, **fields)


def rule(world, tournament_id, kind, who="olga", **fields):
    with world.database.begin() as session:
        ask = Ask(RulingKind(kind), "seen by three", **fields)
        return rulings.make(session, world.people[who], tournament_id, ask)


def decide(world, appeal_id, who="olga", outcome="upheld", **more):
    return world.do(appeals.decide, who, appeal_id, outcome=outcome, reason="So it was.", **more)


def told(world, tournament_id) -> list[tuple[str, Any]]:
    with world.database.read() as session:
        query = select(Event.kind, Event.payload).where(Event.tournament_id == tournament_id)
        rows = session.execute(query.order_by(Event.id)).all()
    return [tuple(row) for row in rows if row.kind.startswith("appeal.")]


def code(refused) -> str:
    return refused.value.problem_code


def test_an_appeal_is_made_decided_and_told_of(world, cup):
    tournament_id, entry_id, match_id = cup
    made = appeal(world, tournament_id, entry_id, match_id=match_id)
    assert (made.number, made.status, made.entry_id) == (1, "open", entry_id)
    remedy = rule(world, tournament_id, "adjust", entry_id=entry_id, round=1, points=3)
    done = decide(world, made.id, "arthur", ruling_id=remedy.id)
    assert (done.status, done.decision, done.remedy_id) == ("upheld", "So it was.", remedy.id)
    assert done.decided_by_id == world.people["arthur"].account_id
    named = {"appeal_id": made.id, "number": 1}
    decision = {"outcome": "upheld", "reason": "So it was.", "ruling_id": remedy.id}
    assert told(world, tournament_id) == [
        ("appeal.made", {**named, "entry_id": entry_id, "match_id": match_id, "ruling_id": None}),
        ("appeal.decided", {**named, **decision}),
    ]


def test_an_appeal_changes_nothing_and_holds_nothing_up(world, cup):
    tournament_id, entry_id, match_id = cup
    appeal(world, tournament_id, entry_id, match_id=match_id)
    (second,) = world.open_next(tournament_id)
    finish(world, second)
    world.close_rounds()
    assert world.tournament(tournament_id).status == "finished"


@pytest.mark.parametrize("about", ["match", "ruling"])
def test_the_window_closes_so_long_after_the_match_or_the_ruling(world, cup, monkeypatch, about):
    tournament_id, entry_id, match_id = cup
    ruling = rule(world, tournament_id, "warn", entry_id=entry_id)
    with world.database.read() as session:
        ended = session.get_one(Match, match_id).finished_at
    since = ended if about == "match" else ruling.created_at
    fields = {"match_id": match_id} if about == "match" else {"ruling_id": ruling.id}
    last = since + timedelta(seconds=WINDOW)
    monkeypatch.setattr(appeals, "utc_now", lambda: last + timedelta(milliseconds=1))
    with pytest.raises(Conflict) as refused:
        appeal(world, tournament_id, entry_id, **fields)
    assert code(refused) == "too_late"
    monkeypatch.setattr(appeals, "utc_now", lambda: last)
    assert appeal(world, tournament_id, entry_id, **fields).status == "open"


def test_a_match_that_runs_may_be_appealed_against(world, cup):
    tournament_id, entry_id, _ = cup
    (second,) = world.open_next(tournament_id)
    assert appeal(world, tournament_id, entry_id, match_id=second).status == "open"


def test_when_all_is_over_appeals_go_on_for_their_window(world, cup):
    tournament_id, entry_id, _ = cup
    (second,) = world.open_next(tournament_id)
    finish(world, second)
    world.close_rounds()
    made = appeal(world, tournament_id, entry_id, match_id=second)
    remedy = rule(world, tournament_id, "annul", match_id=second)
    assert decide(world, made.id, ruling_id=remedy.id).status == "upheld"


def test_one_appeal_about_one_thing_unless_it_was_taken_back(world, cup):
    tournament_id, entry_id, match_id = cup
    first = appeal(world, tournament_id, entry_id, match_id=match_id)
    with pytest.raises(Conflict) as refused:
        appeal(world, tournament_id, entry_id, match_id=match_id)
    assert code(refused) == "already_appealed"
    world.do(appeals.withdraw, "anna", first.id)
    assert told(world, tournament_id)[-1] == (
        "appeal.withdrawn", {"appeal_id": first.id, "number": 1}
    )  # fmt: skip
    second = appeal(world, tournament_id, entry_id, match_id=match_id)
    assert second.number == 2
    other = world.entries(tournament_id)[1].id
    assert appeal(world, tournament_id, other, match_id=match_id).number == 3


def test_what_is_decided_or_taken_back_stays_so(world, cup):
    tournament_id, entry_id, match_id = cup
    made = appeal(world, tournament_id, entry_id, match_id=match_id)
    decide(world, made.id, outcome="rejected")
    for act in (
        lambda: decide(world, made.id),
        lambda: world.do(appeals.withdraw, "anna", made.id),
    ):
        with pytest.raises(Conflict) as refused:
            act()
        assert code(refused) == "appeal_rejected"


def test_owners_appeal_for_their_own_and_arbiters_decide(world, cup):
    tournament_id, entry_id, match_id = cup
    for stranger in ("bert", "olga", "arthur"):
        with pytest.raises(Forbidden):
            appeal(world, tournament_id, entry_id, stranger, match_id=match_id)
    made = appeal(world, tournament_id, entry_id, match_id=match_id)
    for stranger in ("anna", "bert", "oskar"):
        with pytest.raises(Forbidden):
            decide(world, made.id, stranger)
    with pytest.raises(Forbidden):
        world.do(appeals.withdraw, "bert", made.id)


def test_an_arbiter_does_not_decide_about_his_own_ruling_the_organizer_may(world, cup):
    tournament_id, entry_id, _ = cup
    by_arthur = rule(world, tournament_id, "warn", "arthur", entry_id=entry_id)
    made = appeal(world, tournament_id, entry_id, ruling_id=by_arthur.id)
    with pytest.raises(Forbidden) as refused:
        decide(world, made.id, "arthur")
    assert code(refused) == "own_ruling"
    by_olga = rule(world, tournament_id, "warn", entry_id=entry_id)
    other = appeal(world, tournament_id, entry_id, ruling_id=by_olga.id)
    assert decide(world, other.id, "olga", "rejected").status == "rejected"


@pytest.mark.parametrize("what", ["entry_id", "match_id", "ruling_id", "remedy"])
def test_things_of_other_tournaments_are_refused(world, cup, what):
    tournament_id, entry_id, match_id = cup
    elsewhere, (their_match,) = world.playing(agents=5, appeal_window_s=WINDOW)
    their_entry = world.entries(elsewhere)[0].id
    their_ruling = rule(world, elsewhere, "warn", entry_id=their_entry).id
    ways = {
        "entry_id": lambda: appeal(world, tournament_id, their_entry, match_id=match_id),
        "match_id": lambda: appeal(world, tournament_id, entry_id, match_id=their_match),
        "ruling_id": lambda: appeal(world, tournament_id, entry_id, ruling_id=their_ruling),
        "remedy": lambda: decide(
            world,
            appeal(world, tournament_id, entry_id, match_id=match_id).id,
            ruling_id=their_ruling,
        ),
    }
    with pytest.raises(Invalid):
        ways[what]()


def test_who_had_no_seat_in_a_match_has_nothing_to_appeal_against(world):
    tournament_id, (first, _) = world.playing(agents=10, appeal_window_s=WINDOW)
    with world.database.read() as session:
        at_table = select(Seat.entry_id).join(Match, Match.table_id == Seat.table_id)
        there = set(session.scalars(at_table.where(Match.id == first)))
    outside = next(e.id for e in world.entries(tournament_id) if e.id not in there)
    with pytest.raises(Invalid) as refused:
        appeal(world, tournament_id, outside, match_id=first)
    assert refused.value.errors[0][:2] == ("/match_id", "not_there")


def test_without_a_window_there_are_no_appeals(world):
    tournament_id, (match_id,) = world.playing(agents=5)
    entry_id = world.entries(tournament_id)[0].id
    with pytest.raises(Conflict) as refused:
        appeal(world, tournament_id, entry_id, match_id=match_id)
    assert code(refused) == "no_appeals"


def test_a_cancelled_tournament_hears_none(world, cup):
    tournament_id, entry_id, match_id = cup
    world.act("cancel", tournament_id)
    with pytest.raises(Conflict) as refused:
        appeal(world, tournament_id, entry_id, match_id=match_id)
    assert code(refused) == "tournament_cancelled"


def test_what_is_open_when_a_tournament_is_cancelled_stays_so(world, cup):
    tournament_id, entry_id, match_id = cup
    made = appeal(world, tournament_id, entry_id, match_id=match_id)
    world.act("cancel", tournament_id)
    for act in (
        lambda: decide(world, made.id),
        lambda: decide(world, made.id, "arthur", outcome="rejected"),
        lambda: world.do(appeals.withdraw, "anna", made.id),
    ):
        with pytest.raises(Conflict) as refused:
            act()
        assert code(refused) == "tournament_cancelled"
    with pytest.raises(Forbidden):
        world.do(appeals.withdraw, "bert", made.id)
    assert world.see(appeals.find, ANONYMOUS, made.id).status == "open"
    assert [kind for kind, _ in told(world, tournament_id)] == ["appeal.made"]


def test_everybody_sees_them_in_order_and_by_state(world, cup):
    tournament_id, entry_id, match_id = cup
    ruling = rule(world, tournament_id, "warn", entry_id=entry_id)
    first = appeal(world, tournament_id, entry_id, match_id=match_id)
    second = appeal(world, tournament_id, entry_id, ruling_id=ruling.id)
    decide(world, first.id)
    with world.database.read() as session:
        listed = appeals.search(session, ANONYMOUS, tournament_id, None, 10).items
        still = appeals.search(session, ANONYMOUS, tournament_id, None, 10, status="open").items
        assert appeals.find(session, ANONYMOUS, second.id).statement == "The last trick was mine."
    assert [row.id for row in listed] == [first.id, second.id]
    assert [row.id for row in still] == [second.id]


def test_every_change_is_in_the_audit_log(world, cup):
    tournament_id, entry_id, match_id = cup
    made = appeal(world, tournament_id, entry_id, match_id=match_id)
    decide(world, made.id)
    with world.database.read() as session:
        kinds = session.scalars(select(AuditRow.kind).where(AuditRow.object_id == made.id)).all()
    assert kinds == ["appeal", "appeal"]


def test_the_window_is_a_setting_like_others(world):
    tournament_id = world.draft(appeal_window_s=60)
    assert world.tournament(tournament_id).appeal_window_s == 60
