"""The port of an arena: is it free, and who keeps it.

The server shares its port with whoever asks for that too (SO_REUSEPORT), so two arenas on one port
would both start, and requests come to either. A socket that does not share finds out beforehand.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from errno import EADDRINUSE

from baohuang.api.config import Config, ConfigError


@contextmanager
def kept(config: Config) -> Iterator[Config]:
    """Keep the port for our own processes; port 0 becomes a number that all of them know.

    Raises `ConfigError` where the API could not listen. What keeps the port is bound and does not
    listen: our server shares with it, and who tries the port finds it taken before that is up.
    """
    config = tried(config)
    with ExitStack() as stack:
        with suppress(OSError):  # another program's last connections may be left; the server may
            stack.enter_context(_bound(config, socket.SO_REUSEPORT))
        yield config


def tried(config: Config) -> Config:
    """The settings, once the API can listen there; port 0 made a number. Raises `ConfigError`."""
    try:
        with _bound(config, socket.SO_REUSEADDR) as trial:
            return replace(config, port=trial.getsockname()[1])
    except OSError as error:
        raise ConfigError(_sentence(config, error)) from None


def place_of(config: Config) -> str:
    """Where the API listens, as in a URL."""
    host = f"[{config.host}]" if ":" in config.host else config.host
    return f"{host}:{config.port}"


def _bound(config: Config, option: int) -> socket.socket:
    """A socket at the API's address that does not listen. Raises `OSError`."""
    family, kind, protocol, _, place = socket.getaddrinfo(
        config.host, config.port, type=socket.SOCK_STREAM
    )[0]
    made = socket.socket(family, kind, protocol)
    try:
        made.setsockopt(socket.SOL_SOCKET, option, 1)
        made.bind(place)
    except OSError:
        made.close()
        raise
    return made


def _sentence(config: Config, error: OSError) -> str:
    place = place_of(config)
    if error.errno == EADDRINUSE:
        return (
            f"{place} is taken by another program, perhaps another arena: end that, or set "
            "BAOHUANG_PORT to another port."
        )
    return f"The API cannot listen on {place} (BAOHUANG_HOST, BAOHUANG_PORT): {error.strerror}."
