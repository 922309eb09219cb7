"""One HTTP/1.1 connection to an agent, held to its bounds while the answer arrives.

Whatever the peer sends is counted before it is understood: an endless head, body, chunk extension
or trailer ends at a number of bytes. What comes unasked closes the connection. Nothing is
decompressed.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

from .faults import Fault
from .outbox import Outbox

_TCP_INFO = getattr(socket, "TCP_INFO", None)
_RTT_AT, _INFO_SIZE = 68, 104  # struct tcp_info of Linux: tcpi_rtt in microseconds
_NO_BODY = (204, 304)

CLOSED = Fault("connect", "bot", "the connection was closed before the answer began")
BROKEN = Fault("malformed", "bot", "the connection was closed in the middle of the answer")
NOT_HTTP = Fault("malformed", "bot", "the answer is not HTTP/1.1")
LONG_HEAD = Fault("too_large", "bot", "the answer's head is too long")
LONG_BODY = Fault("too_large", "bot", "the answer is too long")
ENCODED = Fault("content_type", "bot", "the answer has a Content-Encoding; send it plain")
NOT_JSON = Fault("content_type", "bot", "the Content-Type is not application/json (UTF-8)")


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bytes of an answer's body, bytes and lines of its head (trailers and 1xx included)."""

    body: int = 64 * 1024
    head: int = 32 * 1024
    lines: int = 128

    @property
    def whole(self) -> int:
        """All bytes of an answer: small chunks may cost as much again as what they carry."""
        return self.head + 2 * self.body


class _Stop(Exception):
    """Ends the parser's run; the outcome is noted already."""


class Connection(asyncio.Protocol):
    """Carries one request at a time. `received`: whether a byte of its answer has come.

    `sent`: since when the peer can have the request (monotonic seconds), 0 before that.
    """

    def __init__(self, bounds: Bounds, lost: Callable[[Connection], None], outbox: Outbox) -> None:
        self._bounds = bounds
        self._lost = lost
        self._outbox = outbox
        self._loop = asyncio.get_running_loop()
        self._answer: asyncio.Future[bytes | Fault] | None = None
        self._request = b""
        self._closed = False
        self.received = False
        self.sent = 0.0
        self.idle_since = 0.0

    @property
    def usable(self) -> bool:
        """Whether another request may be sent."""
        return not self._closed and self._answer is None

    def ask(self, request: bytes, exact: bool) -> asyncio.Future[bytes | Fault]:
        """Send a request; the future gets the body or the fault, and never an exception.

        `exact` asks for status 200 and JSON, else any 2xx will do.
        """
        self._answer = self._loop.create_future()
        self._parser = HttpResponseParser(self)
        self._exact = exact
        self._outcome: bytes | Fault | None = None
        self._pieces: list[bytes] = []
        self._length = 0
        self._types: list[bytes] = []
        self._size = self._lines = 0
        self._headed = self._interim = self._encoded = self._framed = self._keep = False
        self.received = False
        self.sent = 0.0
        answer = self._answer
        if self._closed:  # before it was asked anything; nothing more may come to tell of it
            self._settle(CLOSED)
        else:
            self._request = request
            self._outbox.put(self._send)
        return answer

    def give_up(self, fault: Fault) -> None:
        """Answer with `fault` unless an answer has come."""
        if self._answer is not None:
            self._settle(fault)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._transport.abort()

    def round_trip_ms(self) -> float | None:
        """The kernel's own measurement from the handshake; None where it offers none."""
        place = self._transport.get_extra_info("socket")
        if _TCP_INFO is None or place is None:
            return None
        try:
            info = place.getsockopt(socket.IPPROTO_TCP, _TCP_INFO, _INFO_SIZE)
        except OSError:
            return None
        whole = len(info) == _INFO_SIZE
        return struct.unpack_from("=I", info, _RTT_AT)[0] / 1000 if whole else None

    # What the event loop calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's inherits from nothing

    def data_received(self, data: bytes) -> None:
        if not self.sent or self._answer is None:
            self.close()  # unasked
            return
        self.received = True
        self._size += len(data)
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade):
            if self._outcome is None:
                self._outcome = NOT_HTTP
        if self._outcome is None and self._size > self._bounds.head and not self._headed:
            self._outcome = LONG_HEAD
        elif self._outcome is None and self._size > self._bounds.whole:
            self._outcome = LONG_BODY
        if self._outcome is not None:
            self._settle(self._outcome)

    def eof_received(self) -> None:
        self._closed = True  # the transport closes itself now

    def connection_lost(self, exc: Exception | None) -> None:
        self._closed = True
        if self._answer is not None:
            self._settle(self._at_end(clean=exc is None))
        self._lost(self)

    # What the parser calls

    def on_message_begin(self) -> None:
        if self._outcome is not None:
            self._keep = False  # a second answer: whoever sends it is not asked again here
            raise _Stop

    def on_header(self, name: bytes, value: bytes) -> None:
        self._lines += 1
        if self._lines > self._bounds.lines:
            self._refuse(LONG_HEAD)
        match name.lower():
            case b"content-type":
                self._types.append(value)
            case b"content-encoding":
                self._encoded = True
            case b"content-length" | b"transfer-encoding":
                self._framed = True

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        self._interim = 100 <= status < 200 and status != 101
        if self._interim:
            self._types, self._encoded, self._framed = [], False, False
            return
        self._headed = True
        fault = self._fault_in_head(status)
        if fault is not None:
            self._refuse(fault)
        self._framed = self._framed or status in _NO_BODY

    def on_body(self, body: bytes) -> None:
        self._pieces.append(body)
        self._length += len(body)
        if self._length > self._bounds.body:
            self._refuse(LONG_BODY)

    def on_message_complete(self) -> None:
        if not self._interim:
            self._keep = self._parser.should_keep_alive()
            self._outcome = b"".join(self._pieces)

    # Inside

    def _send(self) -> None:
        request, self._request = self._request, b""
        if self._answer is not None and not self._closed and not self._transport.is_closing():
            self.sent = time.monotonic()
            self._transport.write(request)

    def _fault_in_head(self, status: int) -> Fault | None:
        if 300 <= status < 400 and status != 304:
            said = f"status {status}: redirects are not followed"
            return Fault("redirect", "bot", said, status=status)
        if status != 200 if self._exact else not 200 <= status < 300:
            return Fault("status", "bot", f"status {status} instead of 200", status=status)
        if self._encoded:
            return ENCODED
        return NOT_JSON if self._exact and not is_json(self._types) else None

    def _refuse(self, fault: Fault) -> None:
        self._outcome = fault
        raise _Stop

    def _at_end(self, clean: bool) -> bytes | Fault:
        """The outcome when the peer has closed: an answer without a length ends there."""
        if not self.received:
            return CLOSED
        whole = clean and self._headed and not self._framed
        return b"".join(self._pieces) if whole else BROKEN

    def _settle(self, outcome: bytes | Fault) -> None:
        answer, self._answer = self._answer, None
        if isinstance(outcome, Fault) or not self._keep:
            self.close()
        if answer is not None and not answer.done():
            answer.set_result(outcome)


def is_json(types: list[bytes]) -> bool:
    """Whether exactly one Content-Type was sent, JSON, and UTF-8 if it names a charset."""
    if types == [b"application/json"]:
        return True
    if len(types) != 1:
        return False
    kind, *parameters = (part.strip().lower() for part in types[0].split(b";"))
    charsets = [part[8:].strip(b'"') for part in parameters if part.startswith(b"charset=")]
    return kind == b"application/json" and all(each in (b"utf-8", b"utf8") for each in charsets)
