"""Signatures beside the JavaScript library's, both ways; `make test` has vectors that it made."""

import json
import time
from collections.abc import Iterator

import pytest

from baohuang.api.remote.signing import SignatureError, decode_secret, sign, signed_headers, verify

from .npm_oracle import VECTORS, Oracle, messages, npm_oracle, secret

KEYS = [secret(length, length) for length in (24, 32, 64)]
ROWS = json.loads(VECTORS.read_text("utf-8"))


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    with npm_oracle() as oracle:
        yield oracle


def headers_of(row: dict[str, str]) -> dict[str, str]:
    return {
        "webhook-id": row["id"],
        "webhook-timestamp": str(row["timestamp"]),
        "webhook-signature": row["signature"],
    }


def test_we_sign_as_the_library_did() -> None:
    assert len(ROWS) == 24
    for row in ROWS:
        ours = sign(decode_secret(row["secret"]), row["id"], row["timestamp"], row["body"].encode())
        assert ours == row["signature"]


def test_what_the_library_signed_verifies_with_us_and_only_so() -> None:
    for row in ROWS:
        keys, body = [decode_secret(row["secret"])], row["body"].encode()
        assert verify(keys, headers_of(row), body, row["timestamp"]) == row["id"]
        with pytest.raises(SignatureError):
            verify(keys, headers_of(row), body + b" ", row["timestamp"])


@pytest.mark.foreign
def test_the_vectors_are_what_the_library_signs_today(oracle: Oracle) -> None:
    for row in ROWS:
        signature = oracle.sign(row["secret"], row["id"], row["timestamp"], row["body"])
        assert signature == row["signature"]


@pytest.mark.foreign
@pytest.mark.parametrize("key", KEYS, ids=["24 bytes", "32 bytes", "64 bytes"])
def test_200_messages_verify_in_both_directions(oracle: Oracle, key: str) -> None:
    now = int(time.time())
    for message, timestamp, body in messages(200, key):
        headers = signed_headers([decode_secret(key)], message, now, body.encode())
        assert oracle.accepts(key, headers, body)
        theirs = {
            "webhook-id": message,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": oracle.sign(key, message, timestamp, body),
        }
        assert verify([decode_secret(key)], theirs, body.encode(), timestamp) == message


@pytest.mark.foreign
def test_what_was_tampered_with_is_refused_there_too(oracle: Oracle) -> None:
    key, body, now = KEYS[1], '{"a": 1}', int(time.time())
    good = signed_headers([decode_secret(key)], "01J", now, body.encode())
    assert oracle.accepts(key, good, body)
    assert not oracle.accepts(KEYS[2], good, body)
    assert not oracle.accepts(key, good, '{"a": 2}')
    assert not oracle.accepts(key, good | {"webhook-id": "01K"}, body)
    assert not oracle.accepts(key, good | {"webhook-timestamp": str(now + 1)}, body)
    old = signed_headers([decode_secret(key)], "01J", now - 301, body.encode())
    assert not oracle.accepts(key, old, body)


@pytest.mark.foreign
def test_during_a_rotation_the_library_is_content_with_either_secret(oracle: Oracle) -> None:
    keys = [decode_secret(key) for key in KEYS[:2]]
    headers = signed_headers(keys, "01J", int(time.time()), b"{}")
    assert oracle.accepts(KEYS[0], headers, "{}")
    assert oracle.accepts(KEYS[1], headers, "{}")
    assert not oracle.accepts(KEYS[2], headers, "{}")
