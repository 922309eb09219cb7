"""Secrets that sign calls: sealed in the row of an agent or a webhook; two during a rotation."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Protocol

from ..errors import Conflict
from ..models import utc_now
from ..remote.signing import new_secret
from ..vault import SealBroken, Vault


class Keeper(Protocol):
    """A row that has signing secrets."""

    secret: bytes
    previous_secret: bytes | None
    previous_secret_until: datetime | None
    version: int


class SecretUnreadable(Conflict, SealBroken):
    """The secret was sealed with a key that is gone; its owner can only give it a new one."""

    code = "secret_unreadable"

    def __init__(self) -> None:
        super().__init__("The signing secret cannot be opened any more; rotate it.")


def signing_secrets(vault: Vault, keeper: Keeper) -> tuple[str, ...]:
    """The secrets as text, the present one first; the last one while it still counts.

    Raises `SecretUnreadable` for the present one; without the last one it goes on.
    """
    try:
        secrets = [vault.open(keeper.secret).decode()]
    except SealBroken:
        raise SecretUnreadable from None
    until = keeper.previous_secret_until
    if keeper.previous_secret is not None and until is not None and until > utc_now():
        with suppress(SealBroken):
            secrets.append(vault.open(keeper.previous_secret).decode())
    return tuple(secrets)


def rotate(vault: Vault, keepers: Sequence[Keeper], grace_s: int, force: bool) -> str:
    """Give locked rows one new secret; calls carry signatures of both for `grace_s` seconds.

    Raises `Conflict` while the last rotation is still going on, unless `force` says that the older
    secret may be forgotten at once.
    """
    now = utc_now()
    if not force and any(_rotating(keeper, now) for keeper in keepers):
        raise Conflict(
            "The secret before the present one still counts; wait, or send force.",
            code="rotation_running",
        )
    secret = new_secret()
    sealed = vault.seal(secret.encode())
    for keeper in keepers:
        keeper.previous_secret = keeper.secret if grace_s else None
        keeper.previous_secret_until = now + timedelta(seconds=grace_s) if grace_s else None
        keeper.secret = sealed
        keeper.version += 1
    return secret


def _rotating(keeper: Keeper, now: datetime) -> bool:
    until = keeper.previous_secret_until
    return until is not None and until > now
