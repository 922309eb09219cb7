"""Settings looked at before anything starts, so that a wrong one is a sentence and no restarts."""

from __future__ import annotations

import logging

from .config import Config, ConfigError
from .db import database_url
from .outgoing import read_guard
from .remote.guard import Guard
from .remote.urls import Blocked


def require_usable(config: Config) -> None:
    """Raises `ConfigError`, which names the setting. Touches no file, no network."""
    if config.log_level not in logging.getLevelNamesMapping():
        raise ConfigError(
            f"BAOHUANG_LOG_LEVEL must be DEBUG, INFO, WARNING or ERROR, not {config.log_level!r}."
        )
    database_url(config.database_url)
    _require_control(config, read_guard(config))


def _require_control(config: Config, guard: Guard) -> None:
    if not config.control_url:
        return
    try:
        guard.check_url(config.control_url)
    except Blocked as blocked:
        raise ConfigError(f"BAOHUANG_CONTROL_URL: {blocked.detail}.") from None
