"""TLS to an agent, its bytes and records counted before they are understood.

An event loop's own TLS hands on what was decrypted, so records that carry nothing (key updates,
tickets, a handshake without an end) would be counted by nobody, and a quarter of a MiB of them be
worked through at once. Here each record is fed by itself: what carries nothing is bounded, and
the loop has its turn after a few.
"""

from __future__ import annotations

import asyncio
import ssl
from typing import Any, cast

from .connection import Connection
from .faults import Fault, excerpt

_HEADER = 5  # bytes of a record's header: type, version, length (RFC 8446, 5.1)
_LONGEST = 2**14 + 2048  # bytes that may follow it (RFC 5246, 6.2.3)
_HANDSHAKE = 22  # the type of a record: shown by 1.3 until TLS is agreed on, by 1.2 always
_TURN_BYTES, _TURN_RECORDS = 16 * 1024, 64  # that are worked through at once

HANDSHAKE_BYTES, HANDSHAKE_RECORDS = 32 * 1024, 256  # so many certificates take 10 ms to read
OVERHEAD_BYTES = 16 * 1024  # since the last request: all that came less what it carried
EMPTY_RECORDS = 16  # since the last request; a server sends two tickets, or four

BROKEN_TLS = Fault("tls", "bot", "the connection was closed during the TLS handshake")
LONG_TLS = Fault("tls", "bot", "the TLS handshake is too long")
AGAIN_TLS = Fault("tls", "bot", "TLS was to be agreed on a second time")
EMPTY_TLS = Fault("too_large", "bot", "too much came over TLS beside the answer")


class Tls(asyncio.Protocol):
    """Between a TCP transport and a Connection, to which it is the transport.

    `agreed`: None once the connection has been told that it is made, or why it never will be.
    """

    def __init__(self, context: ssl.SSLContext, host: str, inner: Connection) -> None:
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=host)
        self._inner = inner
        self._loop = asyncio.get_running_loop()
        self.agreed: asyncio.Future[Fault | None] = self._loop.create_future()
        self._raw = bytearray()
        self._paused = self._made = self._clean = False
        self._overhead = self._records = 0

    # What the connection calls

    def write(self, data: bytes) -> None:
        """A request; what came before it is forgotten."""
        self._overhead = self._records = 0
        try:
            self._tls.write(data)
        except ssl.SSLError:
            self.abort()  # the connection hears of it as of one that was cut
        else:
            self._flush()

    def abort(self) -> None:
        self._raw.clear()
        self._transport.abort()

    def is_closing(self) -> bool:
        return self._transport.is_closing()

    def get_extra_info(self, name: str) -> Any:
        return self._transport.get_extra_info(name)

    # What the event loop calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's inherits from nothing
        self._greet()

    def data_received(self, data: bytes) -> None:
        self._raw += data
        if not self._paused:
            self._turn()

    def connection_lost(self, exc: Exception | None) -> None:
        self._raw.clear()
        if self._made:
            cut = exc or ConnectionResetError("TLS was cut off")
            self._inner.connection_lost(None if self._clean else cut)
        self._end(BROKEN_TLS)
        del self._tls  # its buffers go now; the cycle with the connection is found later

    # Inside

    def _turn(self) -> None:
        """Work through some records; the others wait, unread ones with them."""
        size = 0
        for _ in range(_TURN_RECORDS):
            record = self._next() if size < _TURN_BYTES else b""
            if not record:
                break
            size += len(record)
            self._feed(record)
        self._flush()
        self._pause(self._ready() > 0)

    def _pause(self, pause: bool) -> None:
        if self._transport.is_closing():
            return
        if pause:
            self._loop.call_soon(self._turn)
        if pause is not self._paused:
            self._paused = pause
            (self._transport.pause_reading if pause else self._transport.resume_reading)()

    def _ready(self) -> int:
        """The length of the record that begins what is here; 0 if it has not come whole."""
        raw = self._raw
        if len(raw) < _HEADER:
            return 0
        length = raw[3] << 8 | raw[4]
        if length > _LONGEST or raw[1] != 3:
            return _HEADER  # no TLS: its header alone will tell
        return _HEADER + length if len(raw) >= _HEADER + length else 0

    def _next(self) -> bytes:
        size = 0 if self._transport.is_closing() else self._ready()
        record = bytes(self._raw[:size])
        del self._raw[:size]
        return record

    def _feed(self, record: bytes) -> None:
        self._records += 1
        self._overhead += len(record)
        if not self._made and self._long():
            self._end(LONG_TLS)
            return
        self._incoming.write(record)
        if not self._made:
            self._greet()
        elif record[0] == _HANDSHAKE:
            self._refuse(AGAIN_TLS)
        else:
            self._read(len(record))

    def _long(self) -> bool:
        return self._overhead > HANDSHAKE_BYTES or self._records > HANDSHAKE_RECORDS

    def _greet(self) -> None:
        """Go on with the handshake."""
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLError as error:
            self._end(Fault("tls", "bot", f"TLS failed: {excerpt(str(error), 160)}"))
        else:
            self._overhead = self._records = 0
            self._begin()
        self._flush()

    def _begin(self) -> None:
        if not self.agreed.done():  # or nobody waits any more
            self._made = True
            self._inner.connection_made(cast(asyncio.Transport, self))
            self.agreed.set_result(None)

    def _end(self, fault: Fault) -> None:
        """Before there is a connection: none will be. Says goodbye, with what alert there is."""
        if not self.agreed.done():
            self.agreed.set_result(fault)
            self._close()

    def _read(self, size: int) -> None:
        """Hand on what a record of `size` bytes carries."""
        try:
            data = self._tls.read(size)
        except ssl.SSLWantReadError:
            self._bound()
        except ssl.SSLError:
            self._close()
        else:
            self._overhead -= len(data)
            if data:
                self._records -= 1
                self._bound()
                self._inner.data_received(data)
            else:
                self._clean = True  # the peer's close_notify
                self._inner.eof_received()
                self._close()

    def _bound(self) -> None:
        if self._overhead > OVERHEAD_BYTES or self._records > EMPTY_RECORDS:
            self._refuse(EMPTY_TLS)

    def _refuse(self, fault: Fault) -> None:
        self._inner.give_up(fault)
        self.abort()

    def _flush(self) -> None:
        if self._outgoing.pending and not self._transport.is_closing():
            self._transport.write(self._outgoing.read())

    def _close(self) -> None:
        self._flush()
        self._raw.clear()
        self._transport.close()
