"""aiohttp's connector with the guard in it: the only door through which this server calls out.

One connector an agent, so that a connection is never shared by two agents: what a server pushes
unasked onto a kept connection can only reach the agent whose server it is.
"""

from __future__ import annotations

import functools
import socket
import struct
import time
from typing import TYPE_CHECKING

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection

from .calls import current_call
from .guard import Guard
from .resolver import Resolver

if TYPE_CHECKING:
    from aiohttp import ClientRequest, ClientTimeout
    from aiohttp.tracing import Trace

_TCP_INFO = getattr(socket, "TCP_INFO", None)
_RTT_AT, _INFO_SIZE = 68, 104  # struct tcp_info of Linux: tcpi_rtt in microseconds


class Handler(ResponseHandler):
    """aiohttp's protocol, which also knows whether anything came back, and whether it is new."""

    received = False
    used = False

    def data_received(self, data: bytes) -> None:
        self.received = True
        super().data_received(data)


class AgentConnector(aiohttp.TCPConnector):
    """Every address is checked by the guard, whatever led there; names go through `resolver`."""

    def __init__(self, guard: Guard, resolver: Resolver, limit: int, idle_seconds: float) -> None:
        super().__init__(
            resolver=resolver,
            use_dns_cache=False,  # the resolver keeps answers itself, for all agents
            family=socket.AF_UNSPEC,
            socket_factory=guard.socket_factory,
            limit=limit,
            keepalive_timeout=idle_seconds,
        )
        self._factory = functools.partial(  # type: ignore[assignment]
            Handler, loop=self._loop
        )

    async def connect(
        self, req: ClientRequest, traces: list[Trace], timeout: ClientTimeout
    ) -> Connection:
        """A connection with nothing left over from before, noted in the current call."""
        connection = await super().connect(req, traces, timeout)
        while connection.protocol is None or connection.protocol.should_close:
            connection.close()  # something came unasked while it lay idle
            connection = await super().connect(req, traces, timeout)
        self._note(connection.protocol)
        return connection

    def _note(self, handler: ResponseHandler) -> None:
        call = current_call.get()
        if call is None or not isinstance(handler, Handler):
            return
        handler.received = False
        call.connection = handler
        if not handler.used:
            handler.used = True
            call.rtt_ms = _round_trip_ms(handler)
        call.stage = "sent"
        call.sent_at = time.monotonic()


def _round_trip_ms(handler: ResponseHandler) -> float | None:
    """The kernel's own measurement from the handshake; None where it offers none."""
    place = handler.transport.get_extra_info("socket") if handler.transport else None
    if _TCP_INFO is None or place is None:
        return None
    try:
        info = place.getsockopt(socket.IPPROTO_TCP, _TCP_INFO, _INFO_SIZE)
    except OSError:
        return None
    return struct.unpack_from("=I", info, _RTT_AT)[0] / 1000 if len(info) == _INFO_SIZE else None
