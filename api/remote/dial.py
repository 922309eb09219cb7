"""Making a connection: name, addresses, the guard, socket, TLS. The only door to the outside."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import ssl
import time
from collections.abc import Callable
from functools import cache

import aiohappyeyeballs

from .addresses import Address
from .connection import Bounds, Connection
from .faults import LAG_SECONDS, TOO_BUSY, ChargedTo, Fault
from .guard import Guard
from .outbox import Outbox
from .resolver import MOST_ADDRESSES, NoSuchName, Resolver
from .tls import BROKEN_TLS, Tls
from .urls import Blocked, Target

_OUR_OWN = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EADDRNOTAVAIL}
_SECOND_ADDRESS_AFTER = 0.25  # seconds (RFC 8305)
_NOT_REACHED = Fault("connect", "network", "no connection in time")
_SLOW_TLS = Fault("tls", "bot", "TLS was not agreed on in time")


class Dialler:
    """Opens connections for all agents of an event loop. `seconds`: for socket and TLS together."""

    def __init__(self, guard: Guard, resolver: Resolver, bounds: Bounds, seconds: float) -> None:
        self._guard = guard
        self._resolver = resolver
        self._bounds = bounds
        self._seconds = seconds
        self._outbox = Outbox()

    async def dial(
        self,
        target: Target,
        deadline: float,
        lost: Callable[[Connection], None],
        most: int = MOST_ADDRESSES,
    ) -> Connection | Fault:
        """A connection, or the fault. `deadline`: monotonic seconds; `most` addresses are tried."""
        addresses = await self._addresses(target, deadline)
        if isinstance(addresses, Fault):
            return addresses
        until = min(deadline, time.monotonic() + self._seconds)
        place = await self._reached(addresses[:most], target.port, until)
        if isinstance(place, Fault):
            return place
        return await self._opened(place, target, until, lost)

    async def _reached(
        self, addresses: list[Address], port: int, until: float
    ) -> socket.socket | Fault:
        try:
            async with asyncio.timeout(_left(until)):
                return await self._socket(addresses, port)
        except TimeoutError:
            return _NOT_REACHED
        except OSError as error:
            return _from_connect(error)
        except RuntimeError:  # uvloop's word for some connects that fail
            return _NOT_REACHED

    async def _opened(
        self,
        place: socket.socket,
        target: Target,
        until: float,
        lost: Callable[[Connection], None],
    ) -> Connection | Fault:
        """Whoever took the connection has to go on with it: what fails in TLS is his fault."""
        secure = target.scheme == "https"
        try:
            async with asyncio.timeout(_left(until)):
                connection = Connection(self._bounds, lost, self._outbox)
                if secure:
                    return await _agreed(place, target.host, connection) or connection
                await asyncio.get_running_loop().create_connection(lambda: connection, sock=place)
                return connection
        except TimeoutError:
            if time.monotonic() - until > LAG_SECONDS:
                return TOO_BUSY
            return _SLOW_TLS if secure else _NOT_REACHED
        except OSError as error:
            return BROKEN_TLS if secure else _from_connect(error)
        except RuntimeError:  # uvloop's word for some of them
            return BROKEN_TLS if secure else _NOT_REACHED

    async def _addresses(self, target: Target, deadline: float) -> list[Address] | Fault:
        if target.address is not None:
            return [target.address]
        try:
            async with asyncio.timeout(_left(deadline)):
                return await self._resolver.addresses(target.host, target.port)
        except Blocked as blocked:
            return Fault("blocked", "bot", blocked.detail)
        except NoSuchName as error:
            return Fault("dns", "bot", str(error))
        except TimeoutError:
            return Fault("dns", "network", "the host's name was not resolved before the deadline")
        except OSError as error:
            return Fault("dns", "network", str(error))

    async def _socket(self, addresses: list[Address], port: int) -> socket.socket:
        """A connected socket to the first address that takes it; the guard makes each socket."""
        infos: list[aiohappyeyeballs.AddrInfoType] = [
            (
                socket.AF_INET if address.version == 4 else socket.AF_INET6,
                socket.SOCK_STREAM,
                socket.IPPROTO_TCP,
                "",
                (str(address), port) if address.version == 4 else (str(address), port, 0, 0),
            )
            for address in addresses
        ]
        return await aiohappyeyeballs.start_connection(
            infos,
            happy_eyeballs_delay=_SECOND_ADDRESS_AFTER,
            socket_factory=self._guard.socket_factory,
        )


async def _agreed(place: socket.socket, host: str, connection: Connection) -> Fault | None:
    """Open `connection` over TLS on a connected socket; None, or why not."""
    tls = Tls(tls_context(), host, connection)
    await asyncio.get_running_loop().create_connection(lambda: tls, sock=place)
    try:
        fault: Fault | None = await tls.agreed
        return fault
    except asyncio.CancelledError:
        tls.abort()
        raise


def _left(deadline: float) -> float:
    return max(0.0, deadline - time.monotonic())


@cache
def tls_context() -> ssl.SSLContext:
    """Certificates are verified against the machine's authorities, names too."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context


def _from_connect(error: OSError) -> Fault:
    if error.errno == errno.EACCES:
        return Fault("blocked", "bot", str(error.strerror))
    why = os.strerror(error.errno) if error.errno else "unreachable"
    if error.errno in _OUR_OWN:
        return Fault("server", "server", f"this server cannot connect: {why}")
    charged: ChargedTo = "bot" if error.errno == errno.ECONNREFUSED else "network"
    return Fault("connect", charged, f"no connection: {why}")
