"""What may be wrong in an answer that HTTP has nothing against: its type, its JSON, its members."""

from __future__ import annotations

from functools import partial

from ..remote.faults import Kind
from .behaviour import Behaviour
from .misdeeds import GOOD, REQUEST, RIGHT, answers, says
from .scripted import response

_ID = REQUEST.encode()


def _of_type(kind: str) -> Behaviour:
    return Behaviour(partial(says, response(GOOD, kind=kind)), "content_type")


def _body(body: bytes, kind: Kind = "malformed") -> Behaviour:
    return Behaviour(partial(answers, body), kind)


def _with(members: bytes) -> bytes:
    """A right answer with more members."""
    return RIGHT[:-1] + b"," + members + b"}"


def _filled(piece: bytes) -> bytes:
    """A right answer of 64 KiB, full of `piece`."""
    return _with(b'"x":[%s]' % b",".join([piece] * (65_000 // (len(piece) + 1))))


_TYPES = {
    "html": _of_type("text/html"),
    "plain text": _of_type("text/plain"),
    "json in the name only": _of_type("application/json-seq"),
    "problem": _of_type("application/problem+json"),
    "two types in one": _of_type("application/json, text/html"),
    "empty content type": _of_type(""),
    "118 charset=utf-7": _of_type("application/json; charset=utf-7"),
    "118 charset=utf-16": _of_type("application/json; charset=utf-16"),
    "no content type": Behaviour(
        lambda: says(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"), "content_type"
    ),
    "two content types": Behaviour(
        lambda: says(response(GOOD, "200 OK", "Content-Type: application/json")), "content_type"
    ),
}
_JSON = {
    "118 depth 100,000": _body(b"[" * 60_000),
    "118 depth of objects": _body(_with(b'"x":' + b'{"":' * 40 + b"0" + b"}" * 40)),
    "118 5,000 digits": _body(_with(b'"n":' + b"9" * 5000)),
    "118 1e400": _body(_with(b'"n":1e400')),
    "118 NaN": _body(_with(b'"n":NaN')),
    "118 Infinity": _body(_with(b'"n":-Infinity')),
    "118 a name twice": _body(_with(b'"answer":"7"')),
    "118 a name twice by an escape": _body(_with(rb'"\u0061nswer":"7"')),
    "118 NUL": _body(_with(rb'"note":"\u0000"')),
    "118 NUL as it is": _body(_with(b'"note":"\0"')),
    "118 lone surrogate": _body(_with(rb'"note":"\ud800"')),
    "118 surrogate in UTF-8": _body(_with(b'"note":"\xed\xa0\x80"')),
    "118 overlong UTF-8": _body(_with(b'"note":"\xc0\x80"')),
    "118 byte order mark": _body(b"\xef\xbb\xbf" + RIGHT),
    "118 UTF-16": _body(GOOD.decode().encode("utf-16")),
    "118 trailing data": _body(RIGHT + b"{}"),
    "118 trailing comma": _body(RIGHT[:-1] + b",}"),
    "118 a comment": _body(RIGHT + b"//"),
    "118 single quotes": _body(RIGHT.replace(b'"', b"'")),
    "118 NULs": _body(bytes(60_000)),
    "118 gzip": _body(b"\x1f\x8b\x08\0\0\0\0\0"),
    "empty body": _body(b""),
    "blanks": _body(b" " * 65_000),
    "too long": _body(RIGHT + b" " * 66_000, "too_large"),
    # costly to read, and otherwise right
    "8,000 lists and objects": _body(_filled(b'[{"":1}]')),
    "65,000 brackets in a string": _body(_with(b'"x":"%s"' % (b"[" * 65_000))),
    "32,000 numbers": _body(_filled(b"1")),
    "16,000 strings": _body(_filled(b'"a"')[:-2] + rb',"\u0061"]}'),
}
_MEMBERS = {
    "118 true for a string": _body(RIGHT.replace(b'"LEGAL"', b"true"), "schema"),
    "118 1.0 for a string": _body(RIGHT.replace(b'"LEGAL"', b"1.0"), "schema"),
    "118 null for a string": _body(RIGHT.replace(b'"LEGAL"', b"null"), "schema"),
    "118 a list for a string": _body(RIGHT.replace(b'"LEGAL"', b'["LEGAL"]'), "schema"),
    "118 true for the request": _body(RIGHT.replace(b'"%s"' % _ID, b"true"), "stale"),
    "a list": _body(b"[]", "schema"),
    "a string": _body(b'"LEGAL"', "schema"),
    "null": _body(b"null", "schema"),
    "no answer": _body(b'{"request":"%s"}' % _ID, "schema"),
    "a long note": _body(_with(b'"note":"' + b"n" * 257 + b'"'), "schema"),
    "a note that is no string": _body(_with(b'"note":["n"]'), "schema"),
    "the request of another turn": _body(RIGHT.replace(b"01TEST", b"01PAST"), "stale"),
    "the request in small letters": _body(RIGHT.replace(_ID, _ID.lower()), "stale"),
    "no request id": _body(b'{"answer":"LEGAL"}', "stale"),
    "no members": _body(b"{}", "stale"),
    "illegal": _body(GOOD.replace(b"pass", b"XXXXXXXX"), "illegal"),
    "illegal and 60,000 letters long": _body(GOOD.replace(b"pass", b"X" * 60_000), "illegal"),
    "legal but for a blank": _body(RIGHT.replace(b"LEGAL", b"LEGAL "), "illegal"),
    "illegal control characters": _body(GOOD.replace(b"pass", rb"\u001b[31m\u202e\r\n"), "illegal"),
}

ANSWERS: dict[str, Behaviour] = {**_TYPES, **_JSON, **_MEMBERS}
