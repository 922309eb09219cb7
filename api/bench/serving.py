"""Servers on loopback that a bench starts for itself."""

from __future__ import annotations

import socket
import time

HOST = "127.0.0.1"
READY_S = 30.0


def free_port() -> int:
    """A port on which nobody listens."""
    with socket.create_server((HOST, 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def await_server(port: int) -> None:
    """Until somebody listens there. Raises `TimeoutError`."""
    deadline = time.monotonic() + READY_S
    while time.monotonic() < deadline:
        try:
            socket.create_connection((HOST, port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError("the server did not start")
