"""Pull agents that wait for a question: each holds a thread, one thread looks for all of them.

Threads that answer HTTP are few, so only some may wait; who comes when the room is full is told to
come again soon.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from threading import Condition, Event, Thread

Look = Callable[[Iterable[str]], Mapping[str, set[str]]]
"""agent ids -> agent id -> requests that wait for it."""

LOOK_S = 0.025

_log = logging.getLogger(__name__)


class Full(Exception):
    """Nobody else may wait now."""


@dataclass(eq=False)
class _Guest:
    agent_id: str
    known: Collection[str]
    bell: Event = field(default_factory=Event)


class WaitingRoom:
    """Room for `most` guests. The looking thread ends when the last guest has left."""

    def __init__(self, look: Look, most: int) -> None:
        self._look = look
        self._most = most
        self._guests: set[_Guest] = set()
        self._changed = Condition()
        self._looking = False

    def wait(self, agent_id: str, known: Collection[str], seconds: float) -> None:
        """Until a request that is not `known` waits for the agent, or `seconds` are over.

        Raises `Full`. Somebody else may have fetched it meanwhile, so look yourself.
        """
        guest = _Guest(agent_id, known)
        self._let_in(guest)
        try:
            guest.bell.wait(seconds)
        finally:
            with self._changed:
                self._guests.discard(guest)
                self._changed.notify_all()

    def _let_in(self, guest: _Guest) -> None:
        with self._changed:
            if len(self._guests) >= self._most:
                raise Full
            self._guests.add(guest)
            if not self._looking:
                self._looking = True
                Thread(target=self._keep_looking, name="waiting room", daemon=True).start()

    def _keep_looking(self) -> None:
        while guests := self._present():
            try:
                waiting = self._look({guest.agent_id for guest in guests})
            except Exception:  # noqa: BLE001 - the guests look themselves, and meet it
                _log.exception("looking for questions failed")
                waiting = {guest.agent_id: {""} for guest in guests}
            for guest in guests:
                if not waiting.get(guest.agent_id, set()).issubset(guest.known):
                    guest.bell.set()
            self._pause()

    def _present(self) -> list[_Guest]:
        """Those who wait and have not been called; nobody at all ends the looking."""
        with self._changed:
            while self._guests:
                present = [guest for guest in self._guests if not guest.bell.is_set()]
                if present:
                    return present
                self._changed.wait()  # until they have left
            self._looking = False
            return []

    def _pause(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self._guests, LOOK_S)
