"""The parts of one running application, for whatever answers its requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from flask import current_app

from .config import Config
from .db import Database
from .vault import Vault


@dataclass(frozen=True)
class Arena:
    """Settings, database and vault belong together: they are made once, by the factory."""

    config: Config
    database: Database
    vault: Vault


def arena() -> Arena:
    """The parts of the application that answers the present request."""
    return cast(Arena, current_app.extensions["baohuang"])
