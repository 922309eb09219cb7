"""Waiting for a question to a pull agent, with no transaction open and no place of others taken."""

from __future__ import annotations

import time
from collections.abc import Collection

from flask import request

from ..arena import Arena
from ..services import decisions
from .streaming import outside


def next_question(
    arena: Arena, agent_id: str, known: Collection[str], seconds: float
) -> bytes | None:
    """The next request to an agent that comes within `seconds`, as JSON."""
    room, end = arena.waiting, time.monotonic() + seconds
    while True:
        found = fetch(arena, agent_id, known)
        left = end - time.monotonic()
        if found is not None or left <= 0 or room.places.closed:
            return found
        room.places.enter()
        try:
            with outside(request):
                room.wait(agent_id, known, left)
        finally:
            room.places.leave()


def fetch(arena: Arena, agent_id: str, known: Collection[str]) -> bytes | None:
    """The next request that is there."""
    with arena.database.begin() as session:
        return decisions.fetch(session, agent_id, known)
