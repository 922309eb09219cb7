"""A whole arena, as `baohuang serve` runs it, for those who know nothing but its address."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from urllib.request import urlopen

from .scheduler.arena import until

COMMAND = [sys.executable, "-m", "baohuang.scheduler"]


@contextmanager
def serving(folder: Path) -> Iterator[tuple[str, str]]:
    """An arena with an empty database in `folder`: its address, and an admin's token."""
    settings = {
        **os.environ,
        "DATABASE_URL": f"sqlite:///{folder / 'arena.sqlite3'}",
        "BAOHUANG_PORT": "0",
        "BAOHUANG_LOG_LEVEL": "ERROR",
    }
    with _process(settings) as url:
        create = [*COMMAND, "token", "create", "--account", "root", "--role", "admin"]
        made = subprocess.run(create, env=settings, check=True, capture_output=True, text=True)
        yield url, made.stdout.strip()


@contextmanager
def _process(settings: dict[str, str]) -> Iterator[str]:
    process = subprocess.Popen([*COMMAND, "serve"], env=settings, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    passing = threading.Thread(target=_pass_on, args=[process.stderr], daemon=True)
    try:
        first = process.stderr.readline()
        found = re.match(r"Serving (\S+)", first)
        passing.start()
        assert found, first
        until(lambda: _is_up(found[1]))
        yield found[1]
    finally:
        process.terminate()
        try:
            process.wait(60)
        finally:
            process.kill()
            process.wait()
            passing.join(20)  # or it might read on from what is closed
            process.stderr.close()


def _is_up(url: str) -> bool:
    try:
        with urlopen(f"{url}/readyz") as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def _pass_on(errors: IO[str]) -> None:
    """Keep reading, so that a server that has much to say does not stop."""
    for line in errors:
        sys.stderr.write(line)
