"""Starts a peer under granian: `python -m baohuang.api.bench.web.serve NAME PORT THREADS`."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels

PEERS = {
    "stock": ("stock:app", Interfaces.WSGI),
    "fastapi-orm": ("fast:orm", Interfaces.ASGI),
    "fastapi-core": ("fast:core", Interfaces.ASGI),
}
"""name -> where the application is, and how the server calls it."""


def load(target: str) -> Any:
    """The application, in the server's own process."""
    module, name = target.split(":")
    return getattr(import_module(f"{__package__}.{module}"), name)


def main(peer: str, port: str, threads: str) -> None:
    """Serve a peer until SIGTERM."""
    target, interface = PEERS[peer]
    Granian(
        target,
        address="127.0.0.1",
        port=int(port),
        interface=interface,
        http=HTTPModes.http1,
        websockets=False,
        workers=1,
        blocking_threads=int(threads) if interface == Interfaces.WSGI else 1,
        log_level=LogLevels.error,
    ).serve(target_loader=load, wrap_loader=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
