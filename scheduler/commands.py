"""`baohuang serve`, `api`, `scheduler`, `worker`: the processes of an arena."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import click
import psycopg
from pgqueuer.errors import FailingListenerError
from sqlalchemy.exc import OperationalError

from baohuang.api import migrate
from baohuang.api.commands.errors import said_plainly
from baohuang.api.config import Config
from baohuang.api.db import Database
from baohuang.api.preflight import require_usable
from baohuang.api.vault import Vault

from . import port, processes
from .trouble import PlacesOnly
from .worker import QueueLost


@click.command()
def serve() -> None:
    """Run API, scheduler and worker in one go, restarting what dies."""
    with _ready(port.kept, upgrade=True) as config:
        click.echo(f"Serving http://{port.place_of(config)} (Ctrl-C ends)", err=True)
        _run(processes.run_all(config))


@click.command()
@click.option("--kept-port", is_flag=True, hidden=True, help="Whoever starts this keeps the port.")
def api(kept_port: bool) -> None:
    """Answer HTTP."""
    with _ready(_unchanged if kept_port else _tried) as config:
        from .serve import serve_api

        serve_api(config)


@click.command()
def scheduler() -> None:
    """Run the timers: start, open, close, sweep. Several may run; one leads."""
    with _ready() as config:
        _run(processes.run_scheduler(config))


@click.command()
@click.option("--timers", is_flag=True, help="Be a scheduler besides.")
def worker(timers: bool) -> None:
    """Play matches; any number of workers may run, on any number of hosts."""
    with _ready() as config:
        _run(processes.run_worker(config, timers))


@click.command()
@click.option("--once", is_flag=True, help="End after the tournament.")
@click.option("--postgres", is_flag=True, help="On PostgreSQL, with two workers.")
def demo(once: bool, postgres: bool) -> None:
    """Play a whole tournament on this machine: five sample bots over HTTP."""
    from .demo.client import DemoFailed
    from .demo.stage import perform

    configure_logging("WARNING")
    try:
        asyncio.run(perform(once=once, postgres=postgres))
    except DemoFailed as failure:
        raise click.ClickException(str(failure)) from None


Door = Callable[[Config], AbstractContextManager[Config]]


def _unchanged(config: Config) -> AbstractContextManager[Config]:
    return nullcontext(config)


def _tried(config: Config) -> AbstractContextManager[Config]:
    return nullcontext(port.tried(config))


@contextmanager
def _ready(door: Door = _unchanged, *, upgrade: bool = False) -> Iterator[Config]:
    """The settings, with logging set up and a database that is up to date.

    What can be wrong is found in this order: settings, port (`door`), database. Only then
    something is made.
    """
    with said_plainly():
        config = Config.from_env()
        require_usable(config)
        configure_logging(config.log_level)
        with door(config) as config:
            _prepare(config, upgrade)
            yield config


def _prepare(config: Config, upgrade: bool) -> None:
    database = Database(config.database_url)
    try:
        Vault.of(config)
        _check(database, upgrade)
    finally:
        database.dispose()


def _check(database: Database, upgrade: bool) -> None:
    if upgrade:
        migrate.upgrade(database)
    with database.engine.connect() as connection:
        if migrate.current(connection) != migrate.head():
            raise click.ClickException("The database is not up to date; run `baohuang db upgrade`.")


def _run(process: Coroutine[object, object, None]) -> None:
    """Run to the end. A database that goes away is one sentence and status 1."""
    try:
        asyncio.run(process)
    except* (OperationalError, psycopg.OperationalError, FailingListenerError, QueueLost) as gone:
        raise click.ClickException(f"The database went away: {_first_line(gone)}") from None


def _first_line(group: BaseExceptionGroup[Exception]) -> str:
    """What the first of the errors says."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def configure_logging(level: str) -> None:
    """One line an event on standard error."""
    form = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    handler = logging.StreamHandler()
    handler.setFormatter(PlacesOnly(form))
    logging.basicConfig(level=level, handlers=[handler])
    for chatty in ("pgqueuer", "apscheduler", "alembic"):
        logging.getLogger(chatty).setLevel(max(logging.WARNING, logging.getLogger().level))
