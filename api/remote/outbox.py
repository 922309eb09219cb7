"""Requests that leave together, when the event loop has nothing else to do at once.

Writing to a socket wakes whoever waits at its other end, which costs more than all the rest of a
call; of several written in a row the first alone pays. No request waits for more than a few others
to be made, and none is late by it: an agent's time begins when its request is written.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

_TOGETHER = 16  # a millisecond's work of a table's loop


class Outbox:
    """The requests of one event loop that wait to be written."""

    def __init__(self) -> None:
        self._waiting: list[Callable[[], None]] = []

    def put(self, send: Callable[[], None]) -> None:
        """Call `send` soon; it may not raise. Within the loop."""
        self._waiting.append(send)
        if len(self._waiting) == 1:
            asyncio.get_running_loop().call_soon(self._flush)
        elif len(self._waiting) == _TOGETHER:
            self._flush()

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        for send in waiting:
            send()
