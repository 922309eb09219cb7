"""The parts of one running application, for whatever answers its requests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from typing import cast

from flask import current_app

from .config import Config
from .connections import end_overdue
from .db import Database
from .errands import Errands
from .figures import Figures, Turns
from .intake import Intake
from .limiter import Limiter
from .live.hub import Hub
from .outgoing import guard_of
from .remote.guard import Guard
from .services import decisions
from .vault import Vault
from .waiting import Look, WaitingRoom


@dataclass(frozen=True)
class Arena:
    """What is made once, by the factory: settings, database, vault, the guard of outgoing calls,
    the room where pull agents wait, this process's share of the limits on requests, the hub of
    streams, figures of many matches and the turns of who writes them into files, the reader of
    bodies, and the way out for calls that requests wait for.
    """

    config: Config
    database: Database
    vault: Vault
    guard: Guard
    waiting: WaitingRoom
    limiter: Limiter
    hub: Hub
    figures: Figures
    files: Turns
    intake: Intake
    errands: Errands

    @classmethod
    def of(cls, config: Config) -> Arena:
        """The parts by their settings. Raises `ConfigError`."""
        guard = guard_of(config)
        database = Database(config.database_url, config.pool_size)
        hub = Hub(database, config.streams, config.streams_each)
        waiting = WaitingRoom(_open_questions(database), hub)
        return cls(
            config,
            database,
            Vault.of(config),
            guard,
            waiting,
            Limiter(database),
            hub,
            Figures(Turns(max(2, config.threads // 2))),
            Turns(max(1, config.threads // 4)),
            Intake(config.body_s or inf, end_overdue),
            Errands(guard),
        )


def _open_questions(database: Database) -> Look:
    def look(agent_ids: Iterable[str]) -> dict[str, set[str]]:
        with database.read() as session:
            return decisions.open_for(session, agent_ids)

    return look


def arena() -> Arena:
    """The parts of the application that answers the present request."""
    return cast(Arena, current_app.extensions["baohuang"])
