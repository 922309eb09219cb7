"""Practice matches: who may seat whom, how they are played, who sees them."""

from __future__ import annotations

from functools import partial

import pytest
from sqlalchemy import select, update

from baohuang.api.errors import Conflict, Forbidden, Invalid, NotFound, TooMany
from baohuang.api.models import (
    Agent,
    AgentStatus,
    Event,
    Fault,
    Match,
    MatchStatus,
    Practice,
    PracticeSeat,
    Result,
    Role,
)
from baohuang.api.services import matches, practices, records, tables
from baohuang.api.services.practices import Wish
from baohuang.engine.draw import commitment
from baohuang.engine.record import verify

from . import playing
from .playing import LEASE_S, Slip, claim, claimed
from .racing import losers, race


@pytest.fixture
def mine(world):
    return world.agent("anna", "mine")


def spar(world, agent_id):
    with world.database.begin() as session:
        session.execute(update(Agent).where(Agent.id == agent_id).values(sparring=True))
    return agent_id


def create(world, *agents, who="anna", seats=None, rule_set="lianzhong-simple", **wish):
    chosen = seats or [{"agent_id": agent} for agent in agents]
    with world.database.begin() as session:
        return practices.create(
            session,
            world.vault,
            world.people[who],
            Wish(rule_set, seats=chosen, **wish),
        )


def refused(world, error, *agents, **more):
    with pytest.raises(error) as caught:
        create(world, *agents, **more)
    return caught.value


def find(world, match_id, who="anna"):
    with world.database.read() as session:
        return tables.find_match(session, world.people[who], match_id)


def record(world, match_id, who="anna"):
    with world.database.read() as session:
        return records.of_match(session, world.people[who], match_id)


def row(world, match_id):
    with world.database.read() as session:
        return session.get_one(Match, match_id)


def test_free_seats_are_filled_with_house_bots_and_it_waits_for_a_worker(world, mine):
    match_id = create(world, mine)
    shown = find(world, match_id)
    assert [seat["name"] for seat in shown["seats"]] == ["mine", *["greedy"] * 4]
    assert (shown["status"], shown["tournament_id"], shown["round"]) == ("queued", None, None)
    with world.database.read() as session:
        assert matches.pending(session, 10) == [(match_id, -matches.PRACTICE_RANK)]


def test_a_claim_has_its_own_rules_key_and_clocks(world, mine):
    seats = [{"house_bot": "random"}, {"agent_id": mine}, {"agent_id": mine}]
    match_id = create(world, seats=seats, deals=3, budget_ms=700, bank_ms=9)
    held = claimed(world, match_id)
    assert (held.tournament_id, held.round, held.table) == (None, None, None)
    assert (held.deals, held.budget_ms, held.bank_ms) == (3, 700, 9)
    assert [(plan.house_bot, plan.agent_id) for plan in held.seats] == [
        ("random", None), (None, mine), (None, mine), ("greedy", None), ("greedy", None),
    ]  # fmt: skip
    assert held.seats[1].secrets == ("whsec_mine",)
    assert len(held.key) == 32
    with world.database.read() as session:
        assert held.key not in session.get_one(Practice, match_id).key
    assert claimed(world, create(world, mine)).key != held.key


def test_it_is_played_to_a_record_that_proves_itself_and_leaves_no_result(world, mine):
    match_id = create(world, mine, deals=1)
    playing.play(world, match_id)
    shown = find(world, match_id)
    found = record(world, match_id)
    verify(found)
    assert found["draw"]["commitment"] == commitment(bytes.fromhex(found["draw"]["key"]))
    assert (found["match"], found["seats"][0]) == (match_id, "mine")
    assert [seat["points"] for seat in shown["seats"]] == found["totals"]
    with world.database.read() as session:
        assert session.scalar(select(Result.match_id)) is None
        assert session.scalar(select(Event.id).where(Event.match_id == match_id)) is None


def test_a_worker_that_dies_is_followed_by_the_next(world, mine):
    match_id = create(world, mine)
    first = claimed(world, match_id, lease_s=-1.0)
    playing.checkpoint(world, first, 0, [(0, "accept", False)])
    with world.database.begin() as session:
        session.execute(update(Match).where(Match.id == match_id).values(lease_until=0.0))
    second = claimed(world, match_id)
    assert (second.epoch, second.log) == (2, ((0, "accept", False),))
    assert second.key == first.key


def test_faults_are_stored_without_an_entry_and_shown_to_the_agents_owner(world, mine):
    theirs = spar(world, world.agent("bert", "theirs"))
    match_id = create(world, mine, theirs)
    held = claimed(world, match_id)
    with world.database.begin() as session:
        slips = [Slip(0, 0), Slip(1, 1)]
        log = [(0, "accept", True), (1, "pass", True)]
        matches.checkpoint(session, match_id, held.epoch, 0, log, slips, LEASE_S)
    with world.database.read() as session:
        assert set(session.scalars(select(Fault.entry_id))) == {None}
        for who, seat in (("anna", 0), ("bert", 1)):
            page = tables.search_faults(session, world.people[who], match_id, None, 10)
            assert [fault.seat for fault in page.items] == [seat]


def test_after_five_failures_it_is_shown_as_failed(world, mine):
    match_id = create(world, mine)
    for _ in range(matches.MAX_ATTEMPTS):
        held = claimed(world, match_id)
        with world.database.begin() as session:
            matches.fail(session, match_id, held.epoch, "ValueError at x.py:1")
    assert find(world, match_id)["status"] == "failed"
    assert claim(world, match_id) is None


def test_a_cancelled_one_is_nobodys_any_more(world, mine):
    match_id = create(world, mine)
    held = claimed(world, match_id)
    with world.database.begin() as session:
        practices.cancel(session, world.people["anna"], match_id)
    with world.database.begin() as session:
        assert not matches.renew(session, match_id, held.epoch, LEASE_S)
    assert row(world, match_id).status == MatchStatus.CANCELLED
    with world.database.begin() as session, pytest.raises(Conflict):
        practices.cancel(session, world.people["anna"], match_id)


def test_only_who_owns_it_or_an_agent_in_it_cancels_it(world, mine):
    theirs = spar(world, world.agent("bert", "theirs"))
    match_id = create(world, mine, theirs)
    for who in ("oskar", "olga"):
        with world.database.begin() as session, pytest.raises(NotFound):
            practices.cancel(session, world.people[who], match_id)


def test_owners_of_seated_agents_see_it_and_nobody_else_does(world, mine):
    theirs = spar(world, world.agent("bert", "theirs"))
    match_id = create(world, mine, theirs, deals=1)
    playing.play(world, match_id)
    for who in ("anna", "bert", "ada"):
        assert find(world, match_id, who)["status"] == "finished"
        assert record(world, match_id, who)["match"] == match_id
    for who in ("olga", "oskar"):
        with pytest.raises(NotFound):
            find(world, match_id, who)
        with pytest.raises(NotFound):
            record(world, match_id, who)


def test_a_tournaments_match_is_no_practice_match(world):
    match_id = world.playing()[1][0]
    for who in ("olga", "ada"):
        with world.database.begin() as session, pytest.raises(NotFound):
            practices.cancel(session, world.people[who], match_id)
    with world.database.read() as session, pytest.raises(Forbidden):
        tables.search_faults(session, world.people["bert"], match_id, None, 10)


def test_others_agents_are_seated_only_if_they_spar(world, mine):
    theirs = world.agent("bert", "theirs")
    error = refused(world, Invalid, mine, theirs)
    assert [(e.pointer, e.code) for e in error.errors] == [("/seats/1/agent_id", "unknown")]
    create(world, mine, spar(world, theirs))


def test_an_agent_of_ones_own_must_sit_there(world):
    theirs = spar(world, world.agent("bert", "theirs"))
    error = refused(world, Invalid, theirs)
    assert error.errors[0].code == "no_agent_of_yours"
    error = refused(world, Invalid, seats=[{"house_bot": "greedy"}])
    assert error.errors[0].code == "no_agent_of_yours"


@pytest.mark.parametrize(
    ("seat", "code"),
    [({"house_bot": "nobody"}, "unknown"), ({"agent_id": "0" * 26}, "unknown")],
)
def test_unknown_players_are_named(world, mine, seat, code):
    error = refused(world, Invalid, seats=[{"agent_id": mine}, seat])
    assert [(e.pointer, e.code) for e in error.errors] == [(f"/seats/1/{next(iter(seat))}", code)]


def test_agents_that_do_not_play_are_refused(world, mine):
    for status in (AgentStatus.PAUSED, AgentStatus.UNVERIFIED, AgentStatus.RETIRED):
        error = refused(world, Invalid, mine, world.agent("anna", status, status))
        assert error.errors[0].code == "not_active"


def test_unknown_rules_and_contradictions_are_named(world, mine):
    assert refused(world, Invalid, mine, rule_set="chess").errors[0].pointer == "/rule_set"
    error = refused(world, Invalid, mine, overrides={"guard": "nonsense"})
    assert error.errors[0].pointer == "/overrides/guard"


def test_an_account_has_three_at_once(world, mine):
    found = race(*[lambda: create(world, mine)] * 5)
    assert losers(found) == ["practice_limit"] * (5 - practices.AT_ONCE)


def test_a_sparring_partner_has_two_visitors_at_once_and_its_owner_as_many_as_he_may(world):
    theirs = spar(world, world.agent("bert", "theirs"))
    for who in ("anna", "olga"):
        create(world, world.agent(who, f"of {who}"), theirs, who=who)
    error = refused(world, TooMany, world.agent("oskar", "late"), theirs, who="oskar")
    assert error.problem_code == "opponent_busy"
    assert error.headers["Retry-After"] == str(practices.LATER_S)
    create(world, theirs, who="bert")


def test_of_four_visitors_at_once_two_are_let_in(world):
    theirs = spar(world, world.agent("bert", "theirs"))
    for number in range(4):
        world.person(f"visitor-{number}", Role.AUTHOR)
    own = {who: world.agent(who, who) for who in world.people if who.startswith("visitor")}
    found = race(*[partial(create, world, own[who], theirs, who=who) for who in own])
    assert losers(found) == ["opponent_busy"] * (4 - practices.VISITORS)


def test_a_day_has_a_limit(world, mine, monkeypatch):
    monkeypatch.setattr(practices, "DAILY", practices.Policy("practice", 1, 86_400))
    create(world, mine)
    error = refused(world, TooMany, mine)
    assert error.problem_code == "practice_limit"
    assert int(error.headers["Retry-After"]) > 80_000


def test_a_paused_agent_is_played_by_the_server(world, mine):
    match_id = create(world, mine)
    with world.database.begin() as session:
        session.execute(update(Agent).where(Agent.id == mine).values(status=AgentStatus.PAUSED))
    assert claimed(world, match_id).seats[0].house_bot == "autoplay"


def test_opponents_are_listed_by_their_owners_name(world, mine):
    theirs = spar(world, world.agent("bert", "theirs"))
    spar(world, world.agent("bert", "paused", AgentStatus.PAUSED))
    with world.database.read() as session:
        (found,) = practices.opponents(session, None, 10).items
    assert (found.id, found.name, found.kind, found.owner) == (theirs, "theirs", "http", "bert")


def test_a_list_holds_ones_own_the_newest_first(world, mine):
    theirs = world.agent("bert", "theirs")
    create(world, theirs, who="bert")
    wanted = [create(world, mine) for _ in range(3)][::-1]
    with world.database.read() as session:
        first = tables.search_practices(session, world.people["anna"], None, 2)
        second = tables.search_practices(session, world.people["anna"], first.after, 2)
    assert [row.id for row in [*first.items, *second.items]] == wanted


def test_a_seat_is_an_agents_or_a_house_bots(world, mine):
    match_id = create(world, mine)
    with world.database.read() as session:
        seats = session.scalars(select(PracticeSeat).where(PracticeSeat.match_id == match_id)).all()
    assert [(seat.agent_id is None) + (seat.house_bot is None) for seat in seats] == [1] * 5


@pytest.mark.parametrize(
    ("clocks", "pointers"),
    [
        ({"budget_ms": 499}, ["/budget_ms"]),
        ({"budget_ms": 10_001, "bank_ms": 60_001}, ["/budget_ms", "/bank_ms"]),
    ],
)
def test_somebody_elses_agent_gets_a_fair_clock(world, mine, clocks, pointers):
    theirs = spar(world, world.agent("bert", "theirs"))
    error = refused(world, Invalid, mine, theirs, **clocks)
    assert [each.pointer for each in error.errors] == pointers
    create(world, mine, **clocks)
    create(world, mine, theirs, budget_ms=500, bank_ms=60_000)


def test_who_leaves_practice_matches_is_neither_struck_nor_paused(world, mine):
    theirs = spar(world, world.agent("bert", "theirs"))
    for _ in range(3):
        left = playing.FakeMatch(penalties=[0, -40, 0, 0, 0])
        playing.finish(world, create(world, mine, theirs), left)
    with world.database.read() as session:
        agent = session.get_one(Agent, theirs)
        assert (agent.status, agent.strikes, agent.desertions) == ("active", 0, 0)


def test_the_owner_of_a_sparring_partner_ends_a_match_with_it(world, mine):
    match_id = create(world, mine, spar(world, world.agent("bert", "theirs")))
    world.do(practices.cancel, "bert", match_id)
    assert find(world, match_id)["status"] == "cancelled"
