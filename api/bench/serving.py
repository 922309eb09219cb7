"""Servers on loopback that a bench starts for itself."""

from __future__ import annotations

import socket
import time

from ..ports import HOST

READY_S = 30.0


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
