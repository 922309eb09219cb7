"""The guard of everything that this arena calls, by its settings: agents and webhooks alike."""

from __future__ import annotations

import logging

from .config import Config, ConfigError
from .remote.guard import Guard
from .remote.own import own_places

_log = logging.getLogger(__name__)


def guard_of(config: Config) -> Guard:
    """Lets nobody be called at the arena's own addresses. What the operator allows is logged.

    Raises `ConfigError`.
    """
    try:
        own = [place for text in (_bound(config), *config.own) for place in own_places(text)]
    except ValueError as error:
        raise ConfigError(f"BAOHUANG_OWN: {error}.") from None
    try:
        guard = Guard(config.allow, own)
    except ValueError as error:
        raise ConfigError(f"BAOHUANG_ALLOW: {error}.") from None
    for exemption in guard.exemptions:
        _log.warning("calls to %s are allowed by the operator", exemption)
    return guard


def _bound(config: Config) -> str:
    """Where the API listens."""
    host = f"[{config.host}]" if ":" in config.host else config.host
    return f"{host}:{config.port}"
