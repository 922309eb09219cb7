"""Under which names this server is reached, as an operator writes them, in the guard's spelling."""

from __future__ import annotations

import re

import idna

from .urls import Blocked, parse_url

_PORT = re.compile(r"(?P<host>\[[^\]]*\]|[^:]*):(?P<port>[0-9]{1,5})")
LOOPBACK = ("127.0.0.1", "::1")


def own_places(text: str) -> tuple[str, ...]:
    """`host` or `host:port` (IPv6 in brackets before a port), as the guard compares them.

    Capitals, a dot at the end, letters outside ASCII and a whole URL all mean what they say;
    without a port every port is meant. `localhost` stands for its addresses too. Raises ValueError
    for what names no host.
    """
    host, port = _split(_authority(text))
    names = (host, *LOOPBACK) if host == "localhost" else (host,)
    return tuple(_written(name, port) for name in names)


def _authority(text: str) -> str:
    """What stands between `//` and the path of a URL; anything else as it is."""
    scheme, found, rest = text.strip().partition("://")
    if not found:
        return scheme
    if scheme.lower() not in ("http", "https"):
        raise _unusable(text)
    return re.split("[/?#]", rest, maxsplit=1)[0]


def _split(authority: str) -> tuple[str, str]:
    """Host and port (empty: none), the host in the one spelling of `parse_url`."""
    match = _PORT.fullmatch(authority)
    host, port = (match["host"], str(int(match["port"]))) if match else (authority, "")
    bare = host.strip("[]")
    if ":" in bare:
        host = f"[{bare}]"
    if int(port or 0) > 65535:
        raise _unusable(authority)
    try:
        host = host if host.isascii() else idna.encode(host, uts46=True).decode("ascii")
        return parse_url(f"http://{host.removesuffix('.')}/").host, port
    except (Blocked, idna.IDNAError):
        raise _unusable(authority) from None


def _written(host: str, port: str) -> str:
    if not port:
        return host
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _unusable(text: str) -> ValueError:
    return ValueError(f"neither a name nor an address, with or without :PORT: {text!r}")
