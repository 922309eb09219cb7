"""Signatures, held against the published Standard Webhooks library in both directions."""

import base64
import random
from datetime import UTC, datetime

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from baohuang.api.remote.signing import (
    SignatureError,
    decode_secret,
    new_secret,
    sign,
    signed_headers,
    verify,
)

SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
OTHER = "whsec_" + base64.b64encode(bytes(range(1, 33))).decode()
KEY = decode_secret(SECRET)
OTHER_KEY = decode_secret(OTHER)
NOW = 1_790_000_000


def messages(count: int) -> list[tuple[str, bytes]]:
    draw = random.Random("signing")
    texts = ["{}", '{"a":"é 皇"}', "", "x" * 3000] + [
        "".join(chr(draw.randint(32, 0x2FFF)) for _ in range(draw.randint(0, 200)))
        for _ in range(count - 4)
    ]
    return [(f"01J{n:023d}", text.encode()) for n, text in enumerate(texts)]


def test_a_signature_worked_out_by_hand() -> None:
    # printf 'msg_1.1790000000.{"a":1}' | openssl dgst -sha256 -mac HMAC -macopt hexkey:000102…1f
    digest = bytes.fromhex("cbf603ce31984b8a1f7d9992f838e6d33ca95d20ae4bb4608d00cfa0c740f677")
    assert sign(KEY, "msg_1", NOW, b'{"a":1}') == "v1," + base64.b64encode(digest).decode()


def test_200_of_our_signatures_verify_with_the_library() -> None:
    oracle = Webhook(SECRET)
    now = int(datetime.now(UTC).timestamp())
    for message, body in messages(200):
        oracle.verify(body, signed_headers([KEY], message, now, body), json_parse=False)


def test_200_of_the_librarys_signatures_verify_with_us() -> None:
    oracle = Webhook(SECRET)
    at = datetime.fromtimestamp(NOW, UTC)
    for message, body in messages(200):
        headers = {
            "Webhook-Id": message,
            "Webhook-Timestamp": str(NOW),
            "Webhook-Signature": oracle.sign(message, at, body.decode()),
        }
        assert verify([KEY], headers, body, NOW) == message


def test_during_a_rotation_either_secret_verifies() -> None:
    now = int(datetime.now(UTC).timestamp())
    headers = signed_headers([KEY, OTHER_KEY], "01J", now, b"{}")
    assert headers["webhook-signature"].count("v1,") == 2
    for secret in (SECRET, OTHER):
        Webhook(secret).verify(b"{}", headers)
        verify([decode_secret(secret)], headers, b"{}", now)


def tampered() -> dict[str, tuple[dict[str, str], bytes]]:
    good = signed_headers([KEY], "01J", NOW, b"{}")
    return {
        "id": (good | {"webhook-id": "01K"}, b"{}"),
        "timestamp": (good | {"webhook-timestamp": str(NOW + 1)}, b"{}"),
        "body": (good, b"{ }"),
        "signature": (good | {"webhook-signature": "v1," + "A" * 43 + "="}, b"{}"),
        "another version": (
            good | {"webhook-signature": good["webhook-signature"].replace("v1,", "v2,")},
            b"{}",
        ),
        "no comma": (good | {"webhook-signature": good["webhook-signature"][3:]}, b"{}"),
        "missing": ({k: v for k, v in good.items() if k != "webhook-id"}, b"{}"),
        "not a number": (good | {"webhook-timestamp": "1.79e9"}, b"{}"),
        "not ASCII": (good | {"webhook-signature": "v1,é"}, b"{}"),
    }


@pytest.mark.parametrize("what", tampered())
def test_what_was_tampered_with_is_refused(what: str) -> None:
    headers, body = tampered()[what]
    with pytest.raises(SignatureError):
        verify([KEY], headers, body, NOW)


def test_another_key_is_refused_here_and_there() -> None:
    now = int(datetime.now(UTC).timestamp())
    headers = signed_headers([OTHER_KEY], "01J", now, b"{}")
    with pytest.raises(SignatureError):
        verify([KEY], headers, b"{}", now)
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(b"{}", headers)


@pytest.mark.parametrize("off", [-301, 301])
def test_a_timestamp_more_than_five_minutes_off_is_refused(off: int) -> None:
    headers = signed_headers([KEY], "01J", NOW, b"{}")
    verify([KEY], headers, b"{}", NOW + (off - off // abs(off)))
    with pytest.raises(SignatureError, match="too far"):
        verify([KEY], headers, b"{}", NOW + off)


def test_new_secrets_are_whsec_of_32_bytes_and_differ() -> None:
    first, second = new_secret(), new_secret()
    assert first.startswith("whsec_")
    assert len(decode_secret(first)) == 32
    assert first != second


@pytest.mark.parametrize(
    "secret",
    ["", "whsec_", "whsek_" + SECRET[6:], SECRET[6:], "whsec_####", "whsec_" + "QUJD"],
)
def test_a_bad_secret_is_refused_without_being_quoted(secret: str) -> None:
    with pytest.raises(ValueError, match="signing secret") as caught:
        decode_secret(secret)
    kept_back = secret.removeprefix("whsec_")
    assert not kept_back or kept_back not in str(caught.value)
