"""The guard of everything that this arena calls, by its settings: agents and webhooks alike."""

from __future__ import annotations

import logging

from .config import Config, ConfigError
from .remote.guard import Guard

_log = logging.getLogger(__name__)


def guard_of(config: Config) -> Guard:
    """Lets nobody be called at the arena's own addresses. What the operator allows is logged.

    Raises `ConfigError`.
    """
    try:
        guard = Guard(config.allow, own=[f"{config.host}:{config.port}", *config.own])
    except ValueError as error:
        raise ConfigError(f"BAOHUANG_ALLOW: {error}.") from None
    for exemption in guard.exemptions:
        _log.warning("calls to %s are allowed by the operator", exemption)
    return guard
