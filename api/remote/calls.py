"""What is known of the call that the current task makes: how far it came, how far away the peer is.

aiohttp hides on which connection a request went out and whether a byte came back. The resolver and
the connector run in the caller's own task, so they note it here, in a context variable.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal, Protocol


class Connection(Protocol):
    received: bool  # a byte has come since the connection was last taken into use


@dataclass(slots=True)
class Call:
    """One POST, over both tries. `sent_at`: monotonic seconds when a connection was ready."""

    stage: Literal["dns", "connect", "sent"] = "connect"
    sent_at: float = 0.0
    connection: Connection | None = None
    rtt_ms: float | None = None  # of a connection made for this call

    @property
    def received(self) -> bool:
        return self.connection is not None and self.connection.received

    def start_again(self) -> None:
        self.stage, self.connection = "connect", None


current_call: ContextVar[Call | None] = ContextVar("current_call", default=None)


def at_stage(stage: Literal["dns", "connect", "sent"]) -> None:
    call = current_call.get()
    if call is not None:
        call.stage = stage
