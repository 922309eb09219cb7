"""The API under granian: a Rust HTTP server that calls the WSGI application on its own threads."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels

from baohuang.api.app import create_app
from baohuang.api.config import Config

from .tether import tether

BACKLOG = 1024
KILL_AFTER_S = 5  # after SIGTERM: how long requests that still run may take

Application = Callable[..., Any]


def application() -> Application:
    """Made in each server process, which ends with the one that started it."""
    tether(os.getppid())
    return create_app()


def serve_api(config: Config) -> None:
    """Answer HTTP until SIGTERM or SIGINT. The settings of the processes are the environment's."""
    Granian(
        "baohuang.api.app:create_app",
        address=config.host,
        port=config.port,
        interface=Interfaces.WSGI,
        http=HTTPModes.http1,
        websockets=False,
        workers=config.workers,
        blocking_threads=config.threads,
        backlog=BACKLOG,
        respawn_failed_workers=True,
        workers_kill_timeout=KILL_AFTER_S,
        log_level=LogLevels.error,
    ).serve(target_loader=application, wrap_loader=False)
