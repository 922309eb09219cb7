"""Settings looked at before anything starts, so that a wrong one is a sentence and no restarts."""

from __future__ import annotations

import logging
from ipaddress import ip_address

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
    _require_address(config.host)
    _require_control(config, read_guard(config))


def _require_address(host: str) -> None:
    """The server takes no names, and no scope of an address."""
    try:
        ip_address(host if "%" not in host else "")
    except ValueError:
        raise ConfigError(
            f"BAOHUANG_HOST must be an address such as 127.0.0.1 or ::, not {host!r}."
        ) from None


def _require_control(config: Config, guard: Guard) -> None:
    if not config.control_url:
        return
    try:
        guard.check_url(config.control_url)
    except Blocked as blocked:
        raise ConfigError(f"BAOHUANG_CONTROL_URL: {blocked.detail}.") from None
