"""Pull agents that wait for a question: each holds a thread, one thread looks for all of them.

They share the places, and the threads, of the event streams.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from threading import Condition, Event, Thread
from typing import Protocol

Look = Callable[[Iterable[str]], Mapping[str, set[str]]]
"""agent ids -> agent id -> requests that wait for it."""

LOOK_S = 0.025

_log = logging.getLogger(__name__)


class Places(Protocol):
    """How many may wait at once (live/hub.py)."""

    @property
    def closed(self) -> bool: ...
    def enter(self, holder: str, plays: Callable[[], bool] | None = None) -> None: ...
    def leave(self, holder: str) -> None: ...


@dataclass(frozen=True)
class Guest:
    """Whose place it is that somebody takes to wait in, and whether a seat of his is played now."""

    holder: str
    plays: Callable[[], bool]


@dataclass(eq=False)
class _Waiting:
    agent_id: str
    known: Collection[str]
    bell: Event = field(default_factory=Event)


class WaitingRoom:
    """The looking thread ends when the last guest has left."""

    def __init__(self, look: Look, places: Places) -> None:
        self._look = look
        self.places = places
        self._guests: set[_Waiting] = set()
        self._changed = Condition()
        self._looking = False

    def open_for(self, agent_id: str) -> set[str]:
        """The requests that wait for an agent now."""
        return self._look([agent_id]).get(agent_id, set())

    def wait(self, agent_id: str, known: Collection[str], seconds: float) -> bool:
        """Until a request that is not `known` waits for the agent, the process ends, or `seconds`
        are over; False then. Whoever waits has a place.

        Somebody else may have fetched it meanwhile, so look yourself.
        """
        guest = _Waiting(agent_id, known)
        self._let_in(guest)
        try:
            return guest.bell.wait(seconds)
        finally:
            with self._changed:
                self._guests.discard(guest)
                self._changed.notify_all()

    def _let_in(self, guest: _Waiting) -> None:
        with self._changed:
            self._guests.add(guest)
            if not self._looking:
                self._looking = True
                Thread(target=self._keep_looking, name="waiting room", daemon=True).start()

    def _keep_looking(self) -> None:
        while guests := self._present():
            waiting = self._waiting(guests)
            for guest in guests:
                if not waiting.get(guest.agent_id, set()).issubset(guest.known):
                    guest.bell.set()
            self._pause()

    def _waiting(self, guests: Iterable[_Waiting]) -> Mapping[str, set[str]]:
        agents = {guest.agent_id for guest in guests}
        if self.places.closed:
            return {agent: {""} for agent in agents}
        try:
            return self._look(agents)
        except Exception:  # noqa: BLE001 - the guests look themselves, and meet it
            _log.exception("looking for questions failed")
            return {agent: {""} for agent in agents}

    def _present(self) -> list[_Waiting]:
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
