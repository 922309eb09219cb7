"""Servers that send what TLS alone sees: records that carry nothing, and a handshake without end.

Those that come as far as an answer are believed only while `trusted` (sealed.py) holds.
"""

from __future__ import annotations

from collections.abc import Iterator

from .behaviour import Behaviour
from .misdeeds import RIGHT, filled, floods
from .scripted import response
from .sealed import DATA, HANDSHAKE, TICKET, Records, seals

_AT_ONCE = 20  # records; 16 would be borne
_HELLO_REQUEST = b"\x16\3\3\0\4" + bytes(4)  # skipped until a handshake goes on (RFC 5246, 7.4.1.1)


def _key_updates(records: Records, _asked: bytes) -> Iterator[bytes]:
    while True:
        yield records.key_updates(_AT_ONCE)


def _key_updates_after_the_answer(records: Records, asked: bytes) -> Iterator[bytes]:
    """Together with it, so that none comes to the next question."""
    answer = records.seal(DATA, response(filled(RIGHT, asked)))
    yield answer + records.key_updates(_AT_ONCE)
    yield from _key_updates(records, asked)


def _tickets(records: Records, _asked: bytes) -> Iterator[bytes]:
    while True:
        yield records.seal(HANDSHAKE, TICKET * 900)


FLOODS = {
    "115 endless TLS handshake": Behaviour(
        lambda: floods(_HELLO_REQUEST * 1000), "tls", scheme="https"
    ),
    "115 endless TLS key updates": Behaviour(
        lambda: seals(_key_updates), "too_large", scheme="https"
    ),
    "115 endless TLS key updates after the answer": Behaviour(
        lambda: seals(_key_updates_after_the_answer), "ok", scheme="https"
    ),
    "115 endless TLS tickets": Behaviour(lambda: seals(_tickets), "too_large", scheme="https"),
}
