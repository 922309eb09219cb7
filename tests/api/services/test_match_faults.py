"""The last fault of an agent in a match: whose it is, and which is the last."""

from __future__ import annotations

from sqlalchemy import select

from baohuang.api.models import Entry
from baohuang.api.services import attendance, match_faults, matches, practices
from baohuang.api.services.practices import Wish

from .playing import LEASE_S, Slip, claimed

LOG = [(0, "accept", False), (1, "rebel", False), (2, "pass", False)]


def last(world, agent_id):
    fault = world.see(match_faults.last_in_matches, agent_id)
    return fault and (fault.match_id, fault.seq, fault.kind)


def err(world, match_id, agent_id, *slips):
    """Have the agent make mistakes in a match that nobody has claimed: (place, kind) of each."""
    held = claimed(world, match_id)
    seat = next(n for n, plan in enumerate(held.seats) if plan.agent_id == agent_id)
    faults = [Slip(seq, seat, kind) for seq, kind in slips]
    with world.database.begin() as session:
        assert matches.checkpoint(session, match_id, held.epoch, 0, LOG, faults, LEASE_S)
        matches.release(session, match_id, held.epoch)


def agents_of(world, tournament_id):
    entered = world.see(
        lambda session: session.scalars(
            select(Entry.agent_id)
            .where(Entry.tournament_id == tournament_id, Entry.agent_id.is_not(None))
            .order_by(Entry.id)
        ).all()
    )
    return list(entered)


def test_it_is_the_newest_of_tournaments_and_practice_and_the_agents_own(world):
    tournament_id, (match_id,) = world.playing(2)
    one, other = agents_of(world, tournament_id)
    assert last(world, one) is None
    err(world, match_id, one, (0, "timeout"), (2, "illegal"))
    assert last(world, one) == (match_id, 2, "illegal")
    assert last(world, other) is None
    seats = [{"agent_id": one}]
    made = world.do(
        lambda session, who: practices.create(
            session, world.vault, who, Wish("lianzhong-simple", seats=seats)
        ),
        "anna",
    )
    err(world, made, one, (1, "schema"))
    assert last(world, one) == (made, 1, "schema")


def test_a_substitute_has_none_of_whom_it_replaced(world):
    tournament_id, (match_id,) = world.playing(1)
    (one,) = agents_of(world, tournament_id)
    err(world, match_id, one, (0, "timeout"))
    (entry,) = world.entries(tournament_id, agent_id=one)
    fresh = world.agent("bert", "fox")
    world.do(attendance.substitute, "olga", entry.id, fresh)
    assert last(world, fresh) is None
