"""A person's seat: asks him, minds the clock, brings his answers, until so many matches ended."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from select import select
from typing import IO, Any, Protocol

from . import screen
from .arena import ArenaRefused

TOO_LATE = (404, 409)


class Door(Protocol):
    """Where questions come from and answers go."""

    def fetch(self) -> dict[str, Any] | None: ...

    def answer(self, request: str, answer: str) -> None: ...


class Gone(Exception):
    """The person has closed his keyboard."""


class Keyboard:
    """Lines of a person, with a limit of time."""

    def __init__(self, source: IO[str] | None = None) -> None:
        self._source = source or sys.stdin

    def line(self, seconds: float) -> str | None:
        """What was typed; None if nothing was in time. Raises `Gone` at the end of the input."""
        if self._waits() and not select([self._source], [], [], max(0.0, seconds))[0]:
            return None
        line = self._source.readline()
        if not line:
            raise Gone
        return line

    def _waits(self) -> bool:
        """Whether the source can be waited for: a terminal or a pipe, not a test's text."""
        try:
            self._source.fileno()
        except OSError:
            return False
        return True


class Seat:
    """Plays until `matches` have ended (0: for ever). `say` shows a text to the person."""

    def __init__(
        self, door: Door, keyboard: Keyboard, say: Callable[[str], None], matches: int = 0
    ) -> None:
        self._door = door
        self._keyboard = keyboard
        self._say = say
        self._left = matches
        self._heard: tuple[object, int] = (None, 0)  # the deal, and how much of it was shown

    def play(self) -> None:
        """Raises `Gone`, and `ArenaRefused` for what no waiting mends."""
        while True:
            request = self._door.fetch()
            if request is None:
                continue
            if request["kind"] == "decide":
                self._decide(request)
            elif request["kind"] == "deal_end":
                self._say(screen.deal_end(request))
            elif request["kind"] == "match_end":
                self._say(screen.match_end(request))
                self._left -= 1
                if self._left == 0:
                    return

    def _decide(self, request: dict[str, Any]) -> None:
        clock = request["clock"]
        until = time.monotonic() + (clock["budget_ms"] + clock["bank_ms"]) / 1000
        deal = (request["match"], request["deal"])
        self._say(screen.question(request, self._heard[1] if self._heard[0] == deal else 0))
        self._heard = (deal, len(request["history"]))
        answer = self._answer(request, until)
        if answer is None:
            self._say(f"Time is up; {request['fallback']} was played for you.")
            return
        try:
            self._door.answer(request["request"], answer)
        except ArenaRefused as refused:
            if refused.status not in TOO_LATE:
                raise
            self._say(f"Too late: {refused}")

    def _answer(self, request: dict[str, Any], until: float) -> str | None:
        clock = request["clock"]
        bank = f" + {clock['bank_ms'] / 1000:.0f} s bank" if clock["bank_ms"] else ""
        self._say(
            f"{clock['budget_ms'] / 1000:.0f} s{bank}. "
            f"Number or text, Enter for {request['fallback']}, ? for all:"
        )
        while (line := self._keyboard.line(until - time.monotonic())) is not None:
            if line.strip() == "?":
                self._say(screen.answers(request["legal"], len(request["legal"])))
                continue
            answer = screen.understood(line, request)
            if answer is not None:
                return answer
            self._say(f"{line.strip()!r} is not among them.")
        return None
