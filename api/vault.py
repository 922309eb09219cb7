"""Secrets at rest: sealed with Fernet, the newest key first, older keys still open.

Signing secrets of agents and server secrets of tournaments must be readable again, so they are
encrypted, not hashed. Tokens are hashed (services/tokens.py).
"""

from __future__ import annotations

import hmac
import os
from base64 import b64decode
from collections.abc import Sequence
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from .config import Config, ConfigError
from .db import database_url


class SealBroken(ValueError):
    """Stored bytes were sealed with a key that this process does not have, or were changed."""


class Vault:
    """Seals and opens bytes. Build it with one key or several, newest first."""

    def __init__(self, *keys: str | bytes) -> None:
        try:
            self._fernet = MultiFernet([Fernet(key) for key in keys])
            self._newest = b64decode(keys[0], altchars=b"-_")
        except ValueError:
            raise ConfigError(
                "BAOHUANG_SECRET_KEY must hold Fernet keys: 32 bytes, URL-safe base64."
            ) from None

    @classmethod
    def of(cls, config: Config) -> Vault:
        """The vault of a configuration; see `secret_keys`."""
        return cls(*secret_keys(config))

    def derive(self, purpose: str) -> bytes:
        """A 32-byte key of its own for one purpose (signing cursors, say)."""
        return hmac.digest(self._newest, purpose.encode(), "sha256")

    def seal(self, plain: bytes) -> bytes:
        """Encrypt with the newest key."""
        return self._fernet.encrypt(plain)

    def open(self, sealed: bytes) -> bytes:
        """Decrypt with whichever key fits; raises `SealBroken`."""
        try:
            return self._fernet.decrypt(sealed)
        except InvalidToken:
            raise SealBroken(
                "A stored secret cannot be opened: it was sealed with another key."
            ) from None


def secret_keys(config: Config) -> Sequence[str]:
    """The keys of `BAOHUANG_SECRET_KEY`, or with SQLite those of the file beside the database.

    Raises `ConfigError` where neither is there.
    """
    if config.secret_key:
        return [key.strip() for key in config.secret_key.split(",") if key.strip()]
    url = database_url(config.database_url)
    if url.get_backend_name() != "sqlite" or not url.database:
        raise ConfigError(
            "BAOHUANG_SECRET_KEY is needed with PostgreSQL; `openssl rand -base64 32 | tr +/ -_` "
            "makes one."
        )
    return [_key_file(Path(url.database + ".key"))]


def _key_file(path: Path) -> str:
    """The key in `path`; made on first use, readable by its owner alone.

    Linking a finished file into place makes "first" happen once, whoever else starts now.
    """
    if not path.exists():
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(Fernet.generate_key())
        try:
            os.link(draft, path)
        except FileExistsError:
            pass  # another process was first: its key counts
        finally:
            draft.unlink()
    return path.read_text().strip()
