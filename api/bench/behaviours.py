"""What a server may do to its caller, and the fault that it is: each wrong in one way alone.

`baohuang bench hostile` and the tests share them. The numbers are those of the list of hostile
cases that the tests of the guard begin (1 to 100). answers.py has what is wrong in JSON, floods.py
what is wrong in TLS alone.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

from .answers import ANSWERS
from .behaviour import Behaviour
from .certificates import self_signed
from .floods import FLOODS
from .misdeeds import (
    CHUNKED,
    GOOD,
    HEAD,
    RIGHT,
    answers,
    blurts,
    bomb,
    cuts,
    drips,
    repeats,
    resets,
    says,
    sleeps,
)
from .scripted import response, serving

_LENGTH_2 = b"Content-Length: 2\r\n"
_SPARE = b"HTTP/1.1 103 Early Hints\r\n\r\n"

_REDIRECTS = {
    f"101 {code} to {place}": Behaviour(
        partial(answers, b"", f"{code} X", f"Location: {place}"), "redirect"
    )
    for code in (300, 301, 302, 303, 305, 307, 308)
    for place in ("http://127.0.0.1:1/", "file:///etc/passwd", "/")
}
_HEADS = {
    "102 header drips": Behaviour(lambda: drips(HEAD + b"\r\n" + GOOD), "timeout"),
    "102 header drips after its first half": Behaviour(lambda: drips(b"x", HEAD), "timeout"),
    "103 status line drips": Behaviour(lambda: drips(b"HTTP/1.1 200 OK"), "timeout"),
    "104 endless header lines": Behaviour(lambda: repeats(b"X-A: b\r\n", HEAD), "too_large"),
    "104 129 header lines": Behaviour(
        lambda: says(HEAD + b"A: b\r\n" * 128 + b"\r\n" + GOOD), "too_large"
    ),
    "105 a 10 MB header": Behaviour(lambda: repeats(b"x" * 65536, HEAD + b"X-A: "), "too_large"),
    "105 a 10 MB name of a header": Behaviour(lambda: repeats(b"x" * 65536, HEAD), "too_large"),
    "105 a 10 MB reason": Behaviour(lambda: repeats(b"x" * 65536, b"HTTP/1.1 200 "), "too_large"),
    "106 endless 1xx": Behaviour(lambda: repeats(_SPARE, pause=0.01), "timeout"),
    "106 endless 1xx at full speed": Behaviour(lambda: repeats(_SPARE * 100), "too_large"),
    "106 1xx and no more": Behaviour(lambda: says(_SPARE, sleeps), "timeout"),
    "header without a colon": Behaviour(lambda: says(HEAD + b"X\r\n\r\n"), "malformed"),
    "NUL in a header": Behaviour(lambda: says(HEAD + b"X: a\0b\r\n\r\n"), "malformed"),
    "blank in the name of a header": Behaviour(lambda: says(HEAD + b"X Y: a\r\n\r\n"), "malformed"),
    "carriage return alone in a header": Behaviour(
        lambda: says(HEAD + b"X: a\rb\r\n\r\n"), "malformed"
    ),
}
_BODIES = {
    "107 body drips": Behaviour(
        lambda: drips(b"{", HEAD + b"Content-Length: 5000\r\n\r\n"), "timeout"
    ),
    "107 chunks drip": Behaviour(lambda: drips(b"1\r\n \r\n", CHUNKED), "timeout"),
    "108 endless chunks": Behaviour(
        lambda: repeats(b"400\r\n" + b" " * 1024 + b"\r\n", CHUNKED), "too_large"
    ),
    "108 endless chunks of a byte": Behaviour(
        lambda: repeats(b"1\r\n \r\n" * 1000, CHUNKED), "too_large"
    ),
    "108 endless body": Behaviour(lambda: repeats(b" " * 1024, HEAD + b"\r\n"), "too_large"),
    "109 endless chunk extension": Behaviour(
        lambda: repeats(b"a" * 1024, CHUNKED + b"1;x="), "too_large"
    ),
    "109 endless chunk extensions": Behaviour(
        lambda: repeats(b"1;a=b;c=d\r\n \r\n", CHUNKED), "too_large"
    ),
    "109 endless chunk size": Behaviour(lambda: repeats(b"0" * 1024, CHUNKED), "too_large"),
    "110 endless trailers": Behaviour(
        lambda: repeats(b"X-A: b\r\n", CHUNKED + b"0\r\n"), "too_large"
    ),
    "110 trailers drip": Behaviour(lambda: drips(b"x", CHUNKED + b"0\r\n"), "timeout"),
    "111 gzip bomb": Behaviour(lambda: bomb("gzip"), "content_type"),
    "111 deflate bomb": Behaviour(lambda: bomb("deflate"), "content_type"),
    "111 gzip, gzip": Behaviour(lambda: bomb("gzip, gzip"), "content_type"),
    **{
        f"111 {name}": Behaviour(
            partial(answers, GOOD, "200 OK", f"Content-Encoding: {name}"), "content_type"
        )
        for name in ("br", "zstd", "identity, gzip", "x")
    },
    "111 gzip as transfer encoding": Behaviour(
        lambda: says(HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
        "malformed",
    ),
}
_FRAMING = {
    "112 body shorter than its length": Behaviour(
        lambda: says(HEAD + b"Content-Length: 99\r\n\r\n{}"), "malformed"
    ),
    "112 body longer than its length": Behaviour(
        lambda: says(HEAD + b"Content-Length: 9\r\n\r\n" + GOOD), "malformed"
    ),
    "112 two lengths": Behaviour(
        lambda: says(HEAD + _LENGTH_2 + b"Content-Length: 3\r\n\r\n{}"), "malformed"
    ),
    **{
        f"112 length {shown}": Behaviour(
            partial(says, HEAD + b"Content-Length: %s\r\n\r\n{}" % value), "malformed"
        )
        for shown, value in {
            "negative": b"-1",
            "with a plus": b"+2",
            "hexadecimal": b"0x2",
            "twice in a line": b"2, 2",
            "empty": b"",
            "huge": b"9" * 20,
        }.items()
    },
    "112 length of 10 GB": Behaviour(
        lambda: repeats(b" " * 9999, HEAD + b"Content-Length: 10000000000\r\n\r\n"), "too_large"
    ),
    "112 length and chunks": Behaviour(
        lambda: says(HEAD + _LENGTH_2 + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        "malformed",
    ),
    "112 chunked twice": Behaviour(
        lambda: says(HEAD + b"Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"), "malformed"
    ),
    "112 chunked and then not": Behaviour(
        lambda: says(HEAD + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n"), "malformed"
    ),
    "112 bad chunk size": Behaviour(lambda: says(CHUNKED + b"zz\r\n{}\r\n0\r\n\r\n"), "malformed"),
    "112 negative chunk size": Behaviour(
        lambda: says(CHUNKED + b"-2\r\n{}\r\n0\r\n\r\n"), "malformed"
    ),
    "112 huge chunk size": Behaviour(
        lambda: says(CHUNKED + b"f" * 20 + b"\r\n{}\r\n0\r\n\r\n"), "malformed"
    ),
    "112 chunk longer than its size": Behaviour(
        lambda: says(CHUNKED + b"1\r\n{}\r\n0\r\n\r\n"), "malformed"
    ),
    "112 chunks without an end": Behaviour(lambda: says(CHUNKED + b"2\r\n{}\r\n"), "malformed"),
    "113 HTTP/0.9": Behaviour(lambda: says(GOOD), "malformed"),
    "113 HTTP/2 preface": Behaviour(lambda: says(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), "malformed"),
    "113 HTTP/2 frames": Behaviour(lambda: says(b"\0\0\x12\4" + bytes(23)), "malformed"),
    "113 HTTP/9.9": Behaviour(lambda: says(b"HTTP/9.9 200 OK\r\n\r\n" + GOOD), "malformed"),
    "113 a request": Behaviour(lambda: says(b"POST / HTTP/1.1\r\nHost: a\r\n\r\n"), "malformed"),
    "113 SSH": Behaviour(lambda: says(b"SSH-2.0-OpenSSH_9.2\r\n"), "malformed"),
    "113 SMTP": Behaviour(lambda: says(b"220 mail ESMTP\r\n"), "malformed"),
    "113 TLS": Behaviour(lambda: says(b"\x15\3\1\0\2\2\x46"), "malformed"),
    "113 binary": Behaviour(lambda: says(bytes(range(256)) * 10), "malformed"),
    "113 NULs": Behaviour(lambda: repeats(bytes(65536)), "malformed"),
}
_STATUS = {
    "114 101": Behaviour(
        lambda: says(b"HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n" + GOOD),
        "status",
    ),
    "114 204": Behaviour(lambda: says(b"HTTP/1.1 204 No Content\r\n\r\n"), "status"),
    "114 204 with body": Behaviour(lambda: says(response(GOOD, "204 No Content")), "status"),
    "114 304": Behaviour(lambda: says(b"HTTP/1.1 304 Not Modified\r\n\r\n"), "status"),
    "114 304 with body": Behaviour(lambda: says(response(GOOD, "304 Not Modified")), "status"),
    **{
        f"114 {code}": Behaviour(partial(answers, RIGHT, f"{code} X"), "status")
        for code in (201, 202, 203, 206, 226, 400, 401, 404, 407, 410, 500, 502, 503, 999)
    },
    "114 429": Behaviour(
        lambda: says(response(GOOD, "429 X", "Retry-After: 1000000000")), "status"
    ),
    **{
        f"114 status {shown}": Behaviour(
            partial(says, b"HTTP/1.1 %s OK\r\n\r\n" % status + GOOD), "malformed"
        )
        for shown, status in {"of two digits": b"20", "of four": b"2000", "in words": b"OK"}.items()
    },
}
_CONNECTIONS = {
    "115 never answers": Behaviour(lambda: says(b"", sleeps), "timeout"),
    "115 never reads": Behaviour(lambda: sleeps, "timeout"),
    "115 closes": Behaviour(lambda: says(b""), "connect"),
    "115 closes before it has read": Behaviour(lambda: blurts(b""), "connect"),
    "115 resets": Behaviour(resets, "connect"),
    "115 resets at the first byte": Behaviour(lambda: cuts, "connect"),
    "115 resets in the head": Behaviour(lambda: resets(HEAD, 0.01), "malformed"),
    "115 resets in the body": Behaviour(
        lambda: resets(HEAD + b"Content-Length: 50\r\n\r\n{", 0.01), "malformed"
    ),
    "115 resets at an end without length": Behaviour(
        lambda: resets(HEAD + b"\r\n" + GOOD, 0.01), "malformed"
    ),
    "115 closes in the status line": Behaviour(lambda: says(b"HTTP/1.1 2"), "malformed"),
    "115 closes in the head": Behaviour(lambda: says(b"HTTP/1.1 200 OK\r\nContent-"), "malformed"),
    "115 closes in the body": Behaviour(
        lambda: says(HEAD + b"Content-Length: 50\r\n\r\n{"), "malformed"
    ),
    "115 stops in the body": Behaviour(
        lambda: says(HEAD + b"Content-Length: 50\r\n\r\n{", sleeps), "timeout"
    ),
    "115 closes after 1xx": Behaviour(lambda: says(_SPARE), "malformed"),
    "115 no TLS": Behaviour(
        lambda: blurts(b"HTTP/1.1 400 Bad Request\r\n\r\n"), "tls", scheme="https"
    ),
    "115 never completes TLS": Behaviour(lambda: sleeps, "tls", scheme="https"),
    "115 closes in the TLS handshake": Behaviour(lambda: blurts(b""), "tls", scheme="https"),
    "115 resets in the TLS handshake": Behaviour(lambda: cuts, "tls", scheme="https"),
    "115 TLS alert": Behaviour(lambda: blurts(b"\x15\3\3\0\2\2\x28"), "tls", scheme="https"),
    "115 TLS record of 64 KiB": Behaviour(
        lambda: blurts(b"\x16\3\3\xff\xff" + bytes(65535)), "tls", scheme="https"
    ),
    "115 certificate of its own": Behaviour(
        lambda: says(response(GOOD)), "tls", scheme="https", certified=True
    ),
    "116 a second answer at once": Behaviour(lambda: answers(RIGHT, after=response(RIGHT)), "ok"),
    "116 a stranger's answer first": Behaviour(
        lambda: says(response(GOOD.replace(b"01TEST", b"01PAST")) + response(GOOD)), "stale"
    ),
    "117 sets cookies": Behaviour(
        lambda: answers(RIGHT, "200 OK", "Set-Cookie: a=b; Path=/", "Set-Cookie: c=d"), "ok"
    ),
}

BEHAVIOURS: dict[str, Behaviour] = {
    **_REDIRECTS,
    **_HEADS,
    **_BODIES,
    **_FRAMING,
    **_STATUS,
    **_CONNECTIONS,
    **FLOODS,
    **ANSWERS,
}


@contextlib.asynccontextmanager
async def misbehaving(behaviour: Behaviour) -> AsyncIterator[str]:
    """A server that behaves so; its URL."""
    with contextlib.ExitStack() as stack:
        options: dict[str, Any] = {}
        if behaviour.certified:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            options["ssl"], _ = self_signed(Path(folder), "localhost")
        async with serving(behaviour.make(), **options) as url:
            yield behaviour.scheme + ":" + url.partition(":")[2]
