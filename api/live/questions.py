"""One pull agent's questions as a stream of lines: each as soon as it is there.

Nothing has to be remembered for one who comes back: what is not answered is given again.
"""

from __future__ import annotations

import logging
import time
import weakref
from collections.abc import Callable, Collection, Generator, Iterator

import orjson
from sqlalchemy.exc import SQLAlchemyError

from ..waiting import WaitingRoom

Fetch = Callable[[Collection[str]], bytes | None]
"""known requests -> the next request for the agent, as JSON."""

HEARTBEAT_S = 10.0
HEARTBEAT = b"\n"
LIFE_S = 600.0
"""Then the agent comes back, and whether it still may is asked anew."""

REMEMBERED = 50  # requests given here that are not given here again; more are never open at once

_log = logging.getLogger(__name__)


class QuestionStream:
    """An iterable of bytes for the server. Takes a place; `close` gives it back."""

    def __init__(
        self, room: WaitingRoom, agent_id: str, fetch: Fetch, heartbeat_s: float = HEARTBEAT_S
    ) -> None:
        room.places.enter()
        self._leave = weakref.finalize(self, room.places.leave)  # also if nobody ever reads
        self._leave.atexit = False
        self._room = room
        self._agent_id = agent_id
        self._fetch = fetch
        self._heartbeat_s = heartbeat_s
        self._parts = self._run()

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        try:
            return next(self._parts)
        except StopIteration:
            self.close()
            raise
        except SQLAlchemyError:
            _log.warning("a stream of questions ended early", exc_info=True)
            self.close()
            raise StopIteration from None

    def close(self) -> None:
        self._parts.close()
        self._leave()

    def _run(self) -> Generator[bytes, None, None]:
        end = time.monotonic() + LIFE_S
        known: list[str] = []
        yield HEARTBEAT  # so that the head of the answer leaves at once
        while not self._room.places.closed and time.monotonic() < end:
            found = self._fetch(known)
            if found is not None:
                known = [*known, str(orjson.loads(found)["request"])][-REMEMBERED:]
                yield found + b"\n"
            elif not self._room.wait(self._agent_id, known, self._heartbeat_s):
                yield HEARTBEAT
