"""One pull agent's questions as a stream of lines: each as soon as it is there.

Nothing has to be remembered for one who comes back: what is not answered is given again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Generator
from functools import partial

import orjson

from ..waiting import Guest, WaitingRoom
from .lasting import Lasting

Fetch = Callable[[Collection[str]], bytes | None]
"""known requests -> the next request for the agent, as JSON."""

HEARTBEAT_S = 10.0
HEARTBEAT = b"\n"
LIFE_S = 600.0
"""Then the agent comes back, and whether it still may is asked anew."""

REMEMBERED = 100  # of more requests that were given, those that are not open any more are forgotten


class QuestionStream(Lasting):
    """The questions of an agent, a line each."""

    name = "a stream of questions"

    def __init__(
        self,
        room: WaitingRoom,
        agent_id: str,
        fetch: Fetch,
        guest: Guest,
        heartbeat_s: float = HEARTBEAT_S,
    ) -> None:
        super().__init__(
            partial(room.places.enter, guest.holder, guest.plays),
            partial(room.places.leave, guest.holder),
        )
        self._room = room
        self._agent_id = agent_id
        self._fetch = fetch
        self._heartbeat_s = heartbeat_s

    def _run(self) -> Generator[bytes, None, None]:
        end = time.monotonic() + LIFE_S
        known: set[str] = set()
        most = REMEMBERED
        yield HEARTBEAT  # so that the head of the answer leaves at once
        while not self._room.places.closed and time.monotonic() < end:
            found = self._fetch(known)
            if found is not None:
                known.add(str(orjson.loads(found)["request"]))
                if len(known) > most:
                    known &= self._room.open_for(self._agent_id)
                    most = max(REMEMBERED, 2 * len(known))
                yield found + b"\n"
            elif not self._room.wait(self._agent_id, known, self._heartbeat_s):
                yield HEARTBEAT
