"""A port for a program that must be told it before it listens, as agents of the demo are."""

from __future__ import annotations

import random
import socket
from pathlib import Path

HOST = "127.0.0.1"
_LEAST, _MOST = 10_000, 32_768
_SYSTEM = Path("/proc/sys/net/ipv4/ip_local_port_range")  # Linux


def free_port() -> int:
    """A port where nobody listens, and that the system gives to nobody who does not name it.

    One that it chose itself, and that was given back, may be what it chooses next for somebody
    else, before the server is up that was told of it.
    """
    end = int(_SYSTEM.read_text().split()[0]) if _SYSTEM.exists() else _MOST
    while True:
        wanted = random.SystemRandom().choice(range(_LEAST, end) or [0])
        try:
            with socket.create_server((HOST, wanted)) as probe:
                port: int = probe.getsockname()[1]
                return port
        except OSError:
            continue  # somebody's
