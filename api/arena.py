"""The parts of one running application, for whatever answers its requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from flask import current_app

from .config import Config
from .db import Database
from .outgoing import guard_of
from .remote.guard import Guard
from .vault import Vault


@dataclass(frozen=True)
class Arena:
    """Settings, database, vault and the guard of outgoing calls; made once, by the factory."""

    config: Config
    database: Database
    vault: Vault
    guard: Guard

    @classmethod
    def of(cls, config: Config) -> Arena:
        """The parts by their settings. Raises `ConfigError`."""
        guard = guard_of(config)
        database = Database(config.database_url, config.pool_size)
        return cls(config, database, Vault.of(config), guard)


def arena() -> Arena:
    """The parts of the application that answers the present request."""
    return cast(Arena, current_app.extensions["baohuang"])
