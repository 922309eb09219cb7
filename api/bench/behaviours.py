"""What a server may do to its caller, and the fault that it is: each wrong in one way alone.

`baohuang bench hostile` and the tests share them. The numbers are those of the list of hostile
cases that the tests of the guard begin (1 to 100).
"""

from __future__ import annotations

import asyncio
import struct
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import orjson

from .scripted import Script, read_request, response

REQUEST = "01TESTREQUEST0000000000000"
GOOD = b'{"request":"%s","answer":"pass"}' % REQUEST.encode()


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
        writer.write_eof()
        with suppress(OSError):
            await reader.read()

    return script


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


def drips(data: bytes) -> Script:
    """One byte a 50 ms: never done in time."""

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        for byte in data * 100:
            if writer.is_closing():
                return
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0.05)

    return script


async def sleeps(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(60)


async def resets(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await read_request(reader)
    place = writer.get_extra_info("socket")
    place.setsockopt(1, 13, struct.pack("ii", 1, 0))  # SO_LINGER 0: close() sends RST
    writer.transport.abort()


def bomb(name: str) -> Script:
    """50 MB of zeros in 50 kB."""
    packed = zlib.compressobj(9, zlib.DEFLATED, 31 if "gzip" in name else 15)
    body = b"".join(packed.compress(bytes(100_000)) for _ in range(500)) + packed.flush()
    return says(response(body, "200 OK", f"Content-Encoding: {name}"))


def _answers(body: bytes, status: str, *headers: str) -> Script:
    return says(response(body, status, *headers))


def json_body(body: bytes) -> Script:
    return says(response(body))


CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

BEHAVIOURS: dict[str, tuple[Callable[[], Script], str]] = {
    # redirects
    **{
        f"101 {code} to {place}": (
            partial(_answers, b"", f"{code} X", f"Location: {place}"),
            "redirect",
        )
        for code in (301, 302, 303, 307, 308)
        for place in ("http://127.0.0.1:1/", "file:///etc/passwd", "/")
    },
    # slow or endless heads
    "102 header drips": (lambda: drips(HEAD + b"\r\n" + GOOD), "timeout"),
    "103 status line drips": (lambda: drips(b"HTTP/1.1 200 OK"), "timeout"),
    "104 endless header lines": (lambda: repeats(b"X-A: b\r\n", HEAD), "too_large"),
    "105 a 10 MB header": (lambda: repeats(b"x" * 65536, HEAD + b"X-A: "), "too_large"),
    "106 endless 1xx": (
        lambda: repeats(b"HTTP/1.1 103 Early Hints\r\n\r\n", pause=0.001),
        "timeout",
    ),
    # slow or endless bodies
    "107 body drips": (lambda: drips(HEAD + b"Content-Length: 5000\r\n\r\n{"), "timeout"),
    "108 endless chunks": (
        lambda: repeats(b"400\r\n" + b" " * 1024 + b"\r\n", CHUNKED),
        "too_large",
    ),
    "108 endless body": (lambda: repeats(b" " * 1024, HEAD + b"\r\n"), "too_large"),
    "109 endless chunk extension": (lambda: repeats(b"a" * 1024, CHUNKED + b"1;x="), "too_large"),
    "110 endless trailers": (lambda: repeats(b"X-A: b\r\n", CHUNKED + b"0\r\n"), "too_large"),
    "111 gzip bomb": (lambda: bomb("gzip"), "content_type"),
    "111 deflate bomb": (lambda: bomb("deflate"), "content_type"),
    "111 br": (
        lambda: says(response(b"\x0b\x02", "200 OK", "Content-Encoding: br")),
        "content_type",
    ),
    "111 zstd": (lambda: says(response(b"(", "200 OK", "Content-Encoding: zstd")), "content_type"),
    "111 gzip, gzip": (lambda: bomb("gzip, gzip"), "content_type"),
    "111 gzip as transfer encoding": (
        lambda: says(HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
        "malformed",
    ),
    # broken framing
    "112 body shorter than its length": (
        lambda: says(HEAD + b"Content-Length: 99\r\n\r\n{}"),
        "malformed",
    ),
    "112 two lengths": (
        lambda: says(HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"),
        "malformed",
    ),
    "112 negative length": (lambda: says(HEAD + b"Content-Length: -1\r\n\r\n{}"), "malformed"),
    "112 huge length": (
        lambda: says(HEAD + b"Content-Length: 99999999999999999999\r\n\r\n{}"),
        "malformed",
    ),
    "112 length of 10 GB": (
        lambda: repeats(b" " * 9999, HEAD + b"Content-Length: 10000000000\r\n\r\n"),
        "too_large",
    ),
    "112 length and chunks": (
        lambda: says(HEAD + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        "malformed",
    ),
    "112 bad chunk size": (lambda: says(CHUNKED + b"zz\r\n{}\r\n0\r\n\r\n"), "malformed"),
    "113 HTTP/0.9": (lambda: says(GOOD), "malformed"),
    "113 HTTP/2 preface": (lambda: says(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), "malformed"),
    "113 SSH": (lambda: says(b"SSH-2.0-OpenSSH_9.2\r\n"), "malformed"),
    "113 binary": (lambda: says(bytes(range(256)) * 10), "malformed"),
    # status
    "114 101": (
        lambda: says(b"HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n" + GOOD),
        "status",
    ),
    "114 204 with body": (lambda: says(response(GOOD, "204 No Content")), "status"),
    "114 304 with body": (lambda: says(response(GOOD, "304 Not Modified")), "status"),
    "114 204": (lambda: says(b"HTTP/1.1 204 No Content\r\n\r\n"), "status"),
    "114 304": (lambda: says(b"HTTP/1.1 304 Not Modified\r\n\r\n"), "status"),
    **{
        f"114 {code}": (partial(_answers, GOOD, f"{code} X"), "status")
        for code in (201, 202, 206, 400, 401, 404, 500, 502, 503, 999)
    },
    "114 429": (lambda: says(response(GOOD, "429 X", "Retry-After: 1000000000")), "status"),
    # connections
    "115 never answers": (lambda: says(b"", sleeps), "timeout"),
    "115 closes": (lambda: says(b""), "connect"),
    "115 resets": (lambda: resets, "connect"),
    "115 closes in the head": (lambda: says(b"HTTP/1.1 200 OK\r\nContent-"), "malformed"),
    "115 closes in the body": (lambda: says(HEAD + b"Content-Length: 50\r\n\r\n{"), "malformed"),
    # content type
    "html": (lambda: says(response(b"<html>", kind="text/html")), "content_type"),
    "no content type": (
        lambda: says(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"),
        "content_type",
    ),
    "two content types": (
        lambda: says(response(GOOD, "200 OK", "Content-Type: application/json")),
        "content_type",
    ),
    "json in the name only": (
        lambda: says(response(GOOD, kind="application/json-seq")),
        "content_type",
    ),
    "118 charset=utf-7": (
        lambda: says(response(GOOD, kind="application/json; charset=utf-7")),
        "content_type",
    ),
    # JSON
    "118 depth 100,000": (lambda: json_body(b"[" * 60_000), "malformed"),
    "118 5,000 digits": (lambda: json_body(b'{"n":' + b"9" * 5000 + b"}"), "malformed"),
    "118 1e400": (lambda: json_body(b'{"n":1e400}'), "malformed"),
    "118 NaN": (lambda: json_body(b'{"n":NaN}'), "malformed"),
    "118 a name twice": (
        lambda: json_body(GOOD[:-1] + b',"answer":"7"}'),
        "malformed",
    ),
    "118 NUL": (lambda: json_body(GOOD[:-1] + rb',"note":"\u0000"}'), "malformed"),
    "118 lone surrogate": (lambda: json_body(GOOD[:-1] + rb',"note":"\ud800"}'), "malformed"),
    "118 byte order mark": (lambda: json_body(b"\xef\xbb\xbf" + GOOD), "malformed"),
    "118 UTF-16": (lambda: json_body(GOOD.decode().encode("utf-16")), "malformed"),
    "118 true for a string": (lambda: json_body(GOOD.replace(b'"pass"', b"true")), "schema"),
    "118 1.0 for a string": (lambda: json_body(GOOD.replace(b'"pass"', b"1.0")), "schema"),
    "118 trailing data": (lambda: json_body(GOOD + b"{}"), "malformed"),
    "empty body": (lambda: json_body(b""), "malformed"),
    "too long": (lambda: json_body(GOOD + b" " * 66_000), "too_large"),
    "a list": (lambda: json_body(b"[]"), "schema"),
    "a long note": (lambda: json_body(GOOD[:-1] + b',"note":"' + b"n" * 257 + b'"}'), "schema"),
    "the request of another turn": (lambda: json_body(GOOD.replace(b"01TEST", b"01PAST")), "stale"),
    "no request id": (lambda: json_body(b'{"answer":"pass"}'), "stale"),
    "illegal": (lambda: json_body(GOOD.replace(b"pass", b"XXXXXXXX")), "illegal"),
}
