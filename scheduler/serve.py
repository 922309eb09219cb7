"""The API under granian: a Rust HTTP server that calls the WSGI application on its own threads.

A stream of events keeps a thread for as long as somebody listens, so there is a thread for each
(some 140 KB), made when it is needed, beside those that answer requests. Requests pass a gate as
wide as the latter, or a crowd of them would take the streams' threads and with them the connections
of the database. Who waits for a client's body (api/intake.py) or for somebody else's server
(api/errands.py) stands outside of it meanwhile, and has a thread more. An event loop for the
streams would need a port of its own, or every other request would take a detour through it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from threading import Thread
from typing import Any

from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels

from baohuang.api import errands, intake
from baohuang.api.app import create_app
from baohuang.api.arena import Arena
from baohuang.api.config import Config
from baohuang.api.http.streaming import OUTSIDE
from baohuang.api.live.hub import Hub

from .doorkeeper import Doorkeeper
from .processes import raise_open_files
from .tether import tether

BACKLOG = 1024
KILL_AFTER_S = 5  # after SIGTERM: how long requests that still run may take

Application = Callable[..., Iterable[bytes]]


class Gate:
    """Lets so many requests at once into an application. What they send passes freely.

    The places are tokens in a queue, which is written in C: a semaphore is ten times slower.
    """

    def __init__(self, application: Application, width: int) -> None:
        self._application = application
        self._places: SimpleQueue[None] = SimpleQueue()
        for _ in range(width):
            self._places.put(None)

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        environ[OUTSIDE] = self.outside
        self._places.get()
        try:
            return self._application(environ, start_response)
        finally:
            self._places.put(None)

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Take a request's place; wait for it as one does."""
        self._places.get()
        try:
            yield
        finally:
            self._places.put(None)

    @contextmanager
    def outside(self) -> Iterator[None]:
        """Let others in while the request that is inside waits for something."""
        self._places.put(None)
        try:
            yield
        finally:
            self._places.get()


def application() -> Application:
    """Made in each server process, which ends with the one that started it."""
    tether(os.getppid())
    app = create_app()
    parts: Arena = app.extensions["baohuang"]
    end_with_the_process(parts.hub)
    gate = Gate(app, parts.config.threads)
    Doorkeeper(parts.database, gate.inside).start()
    return gate


def end_with_the_process(hub: Hub) -> None:
    """Close the hub at SIGTERM and SIGINT, or the server would wait for streams that never end.

    The server has handlers of its own; the kernel's number of each signal is written to a pipe
    besides. Call it on the main thread.
    """
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    Thread(target=_close_at_signal, args=(reader, hub), name="streams' end", daemon=True).start()


def _close_at_signal(reader: int, hub: Hub) -> None:
    while not hub.closed:
        (number,) = os.read(reader, 1)
        if number in (signal.SIGTERM, signal.SIGINT):
            hub.close()


def serve_api(config: Config) -> None:
    """Answer HTTP until SIGTERM or SIGINT. The settings of the processes are the environment's."""
    raise_open_files()
    Granian(
        "baohuang.api.app:create_app",
        address=config.host,
        port=config.port,
        interface=Interfaces.WSGI,
        http=HTTPModes.http1,
        websockets=False,
        workers=config.workers,
        blocking_threads=config.threads + config.streams + intake.TOTAL + errands.TOTAL,
        backlog=BACKLOG,
        backpressure=config.streams + BACKLOG,
        respawn_failed_workers=True,
        workers_kill_timeout=KILL_AFTER_S,
        log_level=LogLevels.error,
    ).serve(target_loader=application, wrap_loader=False)
