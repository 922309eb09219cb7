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
    guard = read_guard(config)
    for exemption in guard.exemptions:
        _log.warning("calls to %s are allowed by the operator", exemption)
    return guard


def read_guard(config: Config) -> Guard:
    """The guard, without a word in the log. Raises `ConfigError`."""
    own = list(_places("BAOHUANG_HOST", _bound(config)))
    for text in config.own:
        own += _places("BAOHUANG_OWN", text)
    return Guard(allowed(config), own)


def allowed(config: Config) -> tuple[str, ...]:
    """The exceptions that the operator makes, each of which can be read. Raises `ConfigError`."""
    try:
        Guard(config.allow)
    except ValueError as error:
        raise ConfigError(f"BAOHUANG_ALLOW: {error}.") from None
    return config.allow


def _places(setting: str, text: str) -> tuple[str, ...]:
    try:
        return own_places(text)
    except ValueError as error:
        raise ConfigError(f"{setting}: {error}.") from None


def _bound(config: Config) -> str:
    """Where the API listens."""
    host = f"[{config.host}]" if ":" in config.host else config.host
    return f"{host}:{config.port}"
