"""Waiting for a question to a pull agent, with no transaction open and no place of others taken."""

from __future__ import annotations

import time
from collections.abc import Collection

from flask import request

from ..arena import Arena
from ..services import decisions, own_seats
from ..services.principal import Principal
from ..waiting import Guest
from .streaming import outside


def guest(arena: Arena, actor: Principal, agent_id: str) -> Guest:
    """Who waits for an agent's questions."""

    def plays() -> bool:
        with arena.database.read() as session:
            return own_seats.plays_now(session, agent_id)

    return Guest(actor.account_id, plays)


def next_question(
    arena: Arena, actor: Principal, agent_id: str, known: Collection[str], seconds: float
) -> bytes | None:
    """The next request to an agent of the caller's that comes within `seconds`, as JSON."""
    room, who, end = arena.waiting, guest(arena, actor, agent_id), time.monotonic() + seconds
    while True:
        found = fetch(arena, agent_id, known)
        left = end - time.monotonic()
        if found is not None or left <= 0 or room.places.closed:
            return found
        room.places.enter(who.holder, who.plays)
        try:
            with outside(request):
                room.wait(agent_id, known, left)
        finally:
            room.places.leave(who.holder)


def fetch(arena: Arena, agent_id: str, known: Collection[str]) -> bytes | None:
    """The next request that is there."""
    with arena.database.begin() as session:
        return decisions.fetch(session, agent_id, known)
