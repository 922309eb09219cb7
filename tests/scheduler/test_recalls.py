"""An owner pauses or retires his agent while it thinks: whose time it is then."""

import orjson
from sqlalchemy import select

from baohuang.api.models import AgentStatus, Decision, Fault, Match
from baohuang.api.services import agents, decisions, practices

from .arena import LEASE_S, until

ALLOWANCE_MS = 150  # not charged to agents that fetch (docs/bots.md)


def begun(arena, budget_ms, bank_ms=30_000):
    """A practice match of one agent that fetches: its author, its id, the match's."""
    author, (agent_id,) = arena.author([None])
    seats = [{"agent_id": agent_id}]
    wish = practices.Wish("biesan", deals=1, budget_ms=budget_ms, bank_ms=bank_ms, seats=seats)
    with arena.database.begin() as session:
        return author, agent_id, practices.create(session, arena.vault, author, wish)


def fetched(arena, agent_id):
    """The first question that comes."""

    def fetch():
        with arena.database.begin() as session:
            return decisions.fetch(session, agent_id)

    return orjson.loads(until(fetch))


def move(arena, author, agent_id, to):
    with arena.database.begin() as session:
        agents.move(session, author, agent_id, to)


def renewals(arena, number):
    """Wait until the lease was renewed so often: its worker has heard of everything before."""
    seen = set()

    def often():
        seen.add(arena.one(select(Match.lease_until)))
        return len(seen) > number

    until(often)


def finished(arena):
    return arena.one(select(Match.status)) == "finished"


def of_agent(arena):
    """Its own decisions: how long each took, what was charged, the epoch, whether autoplay's."""
    columns = Decision.ms, Decision.charged_ms, Decision.epoch, Decision.auto
    mine = Decision.ms.is_not(None), Decision.seat == 0
    return arena.rows(select(*columns).where(*mine).order_by(Decision.seq))


def test_what_it_thought_before_and_after_a_pause_is_one_decision_and_is_charged(arena):
    author, agent_id, _ = begun(arena, 20_000)
    with arena.process("worker", "--timers"):
        question = fetched(arena, agent_id)
        move(arena, author, agent_id, AgentStatus.PAUSED)
        renewals(arena, 3)
        with arena.database.begin() as session:
            decisions.answer(session, author, question["request"], question["fallback"])
        until(lambda: finished(arena))
    ((ms, charged_ms, epoch, auto),) = of_agent(arena)
    assert ms >= 1000 * LEASE_S / 3, "two renewals and more have passed"
    assert (charged_ms, epoch, auto) == (ms - ALLOWANCE_MS, 1, False)
    assert arena.one(select(Match.epoch)) == 2, "then it was claimed anew"


def test_who_pauses_and_comes_back_has_the_time_of_one_question_and_no_more(arena):
    """The first of a match: three budgets of 500 ms, and the bank of 1,000 (docs/bots.md)."""
    author, agent_id, _ = begun(arena, 500, 1000)
    with arena.process("worker", "--timers"):
        clock = fetched(arena, agent_id)["clock"]
        assert (clock["budget_ms"], clock["bank_ms"]) == (1500, 1000)
        for to in (AgentStatus.PAUSED, AgentStatus.ACTIVE):
            move(arena, author, agent_id, to)
        (ms, charged_ms, epoch, auto), *_ = until(lambda: of_agent(arena))
        again = fetched(arena, agent_id)["clock"]
    assert (ms, charged_ms, epoch, auto) == (2500, 2500, 1, True)
    assert (again["budget_ms"], again["bank_ms"]) == (500, 0)


def test_nobody_waits_for_who_was_retired(arena):
    """His hour would not be over before the test is."""
    author, agent_id, _ = begun(arena, 3_600_000)
    with arena.process("worker", "--timers"):
        fetched(arena, agent_id)
        move(arena, author, agent_id, AgentStatus.RETIRED)
        until(lambda: finished(arena))
    assert of_agent(arena) == []
    assert arena.rows(select(Fault.kind)) == []
