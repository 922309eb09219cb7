"""How a server misbehaves on one connection: scripts that behaviours.py makes its list of.

In whatever they send, the id REQUEST stands for that of the request, LEGAL for its first legal
answer.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import zlib
from contextlib import suppress

import orjson

from .scripted import Script, read_request, response

REQUEST = "01TESTREQUEST0000000000000"
LEGAL = b"LEGAL"
GOOD = b'{"request":"%s","answer":"pass"}' % REQUEST.encode()
RIGHT = GOOD.replace(b"pass", LEGAL)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


def says(data: bytes, then: Script | None = None) -> Script:
    """Reads the request and writes `data`; then goes on with `then`, or closes."""

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _, asked = await read_request(reader)
        writer.write(data.replace(REQUEST.encode(), _id_in(asked)))
        if then is not None:
            await writer.drain()
            await then(reader, writer)
            return
        # The end of the answer, then waiting for the other side: closing outright can turn into a
        # reset that overtakes the answer.
        if writer.can_write_eof():  # TLS cannot
            writer.write_eof()
        with suppress(OSError):
            await reader.read()

    return script


def answers(body: bytes, status: str = "200 OK", *headers: str, after: bytes = b"") -> Script:
    """A whole answer whose length is right, whatever `body` becomes; `after` follows it at once."""

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            _, asked = await read_request(reader)
            writer.write(response(filled(body, asked), status, *headers) + after)

    return script


def filled(body: bytes, asked: bytes) -> bytes:
    legal = orjson.loads(asked).get("legal") or [""]  # notices ask for nothing
    return body.replace(REQUEST.encode(), _id_in(asked)).replace(LEGAL, legal[0].encode())


def _id_in(body: bytes) -> bytes:
    """The id of the request, which is as long as REQUEST; so lengths stay right."""
    found: str = orjson.loads(body)["request"]
    return found.encode()


def repeats(piece: bytes, start: bytes = b"", pause: float = 0.0) -> Script:
    """Writes `piece` for ever, as fast as it is taken or one a `pause`."""

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(start)
        while not writer.is_closing():
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)

    return script


def floods(piece: bytes) -> Script:
    """Writes `piece` for ever without reading anything."""

    async def script(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while not writer.is_closing():
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)

    return script


def drips(data: bytes, start: bytes = b"") -> Script:
    """After `start` one byte a 50 ms: never done in time."""

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(start)
        for byte in data * 100:
            if writer.is_closing():
                return
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0.05)

    return script


async def sleeps(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(60)


def blurts(data: bytes) -> Script:
    """Writes `data` without having read anything, and closes."""

    async def script(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(data)

    return script


def resets(start: bytes = b"", pause: float = 0.0) -> Script:
    """Cuts the connection off, after `start` and a pause in which it arrives."""

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(start)
        await asyncio.sleep(pause)
        _reset(writer)

    return script


async def cuts(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Cuts it off at the first byte, in a TLS handshake too."""
    await reader.read(1)
    _reset(writer)


def _reset(writer: asyncio.StreamWriter) -> None:
    place = writer.get_extra_info("socket")
    lingering = struct.pack("ii", 1, 0)  # for no time: close() sends RST
    place.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, lingering)
    writer.transport.abort()


def bomb(name: str) -> Script:
    """50 MB of zeros in 50 kB."""
    packed = zlib.compressobj(9, zlib.DEFLATED, 31 if "gzip" in name else 15)
    body = b"".join(packed.compress(bytes(100_000)) for _ in range(500)) + packed.flush()
    return says(response(body, "200 OK", f"Content-Encoding: {name}"))


def json_body(body: bytes) -> Script:
    return says(response(body))
