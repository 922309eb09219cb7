"""Standard Webhooks signatures: how an agent knows that a call came from us, untouched and recent.

Signed is `id.timestamp.body`, HMAC-SHA256 under a `whsec_` secret of 24 to 64 bytes (base64).
During a rotation the header carries one signature a secret, separated by blanks; one that fits is
enough. The URL is not signed, so what must not be replayed elsewhere stands in the body (match,
turn, deadline).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from collections.abc import Mapping, Sequence

PREFIX = "whsec_"
TOLERANCE = 300  # seconds that a receiver's clock may be off; also how long it should remember ids
_KEY_BYTES = range(24, 65)


class SignatureError(Exception):
    """Why a call is not accepted as ours. The text never holds a secret or a signature."""


def new_secret() -> str:
    """A fresh secret of 32 random bytes, in the form that is shown to its owner once."""
    return PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def decode_secret(secret: str) -> bytes:
    """The key in a `whsec_` secret; ValueError (without the secret) if it is not one."""
    if not secret.startswith(PREFIX):
        raise ValueError(f"a signing secret begins with {PREFIX}")
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("a signing secret is base64 after its prefix") from None
    if len(key) not in _KEY_BYTES:
        raise ValueError("a signing secret holds 24 to 64 bytes")
    return key


def sign(key: bytes, message: str, timestamp: int, body: bytes) -> str:
    """One signature, `v1,base64`. `message`: the webhook-id, `timestamp`: seconds since 1970."""
    signed = b"%s.%d.%s" % (message.encode("ascii"), timestamp, body)
    return "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()


def signed_headers(
    keys: Sequence[bytes], message: str, timestamp: int, body: bytes
) -> dict[str, str]:
    """The three headers of a signed call, with a signature a key (the newest key first)."""
    return {
        "webhook-id": message,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(sign(key, message, timestamp, body) for key in keys),
    }


def verify(
    keys: Sequence[bytes],
    headers: Mapping[str, str],
    body: bytes,
    now: float,
    tolerance: int = TOLERANCE,
) -> str:
    """The id of a call that one of `keys` signed within `tolerance` seconds of `now`.

    Raises SignatureError. A replay inside the tolerance verifies again: remember the ids.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    message, stamp, signatures = (
        _header(lower, f"webhook-{part}") for part in ("id", "timestamp", "signature")
    )
    timestamp = _recent(stamp, now, tolerance)
    given = [token[3:] for token in signatures.split(" ") if token.startswith("v1,")]
    expected = [sign(key, message, timestamp, body)[3:] for key in keys]
    if not any(_same(ours, theirs) for ours in expected for theirs in given):
        raise SignatureError("no signature fits")
    return message


def _header(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name, "")
    if not value or not value.isascii():
        raise SignatureError(f"the header {name} is missing or not ASCII")
    return value


def _recent(stamp: str, now: float, tolerance: int) -> int:
    if not (stamp.isdigit() and len(stamp) <= 12):
        raise SignatureError("webhook-timestamp is not a whole number of seconds")
    if abs(now - int(stamp)) > tolerance:
        raise SignatureError("webhook-timestamp is too far from now")
    return int(stamp)


def _same(ours: str, theirs: str) -> bool:
    return hmac.compare_digest(ours.encode(), theirs.encode())
