"""One scheduler process of the election tests: fires a timer whenever it leads.

`python contender.py URL NAME [alone]`: says `ready`, then `leads` when it takes the lead. Each
firing inserts a row that names its due time. Without `alone` it fires whoever leads.
"""

import sys
import threading

from baohuang.api.db import Database, db_now
from baohuang.api.models import Account, Role
from baohuang.scheduler.leader import leadership
from baohuang.scheduler.once import grid, once
from baohuang.scheduler.schedule import Timer, lead

EVERY_S = 0.25


class Always:
    """A lock that everybody holds: the worst that an election can do."""

    def check(self) -> bool:
        return True

    def close(self) -> None:
        pass


def main(url: str, name: str, *flags: str) -> None:
    database = Database(url)
    led = threading.Event()

    def tick(_parts: object) -> None:
        if not led.is_set():
            led.set()
            print("leads", flush=True)
        with database.begin() as session:
            due = grid(db_now(session), EVERY_S)
            if once(session, "tick", due):
                session.add(Account(name=f"{due.isoformat()} {name}", role=Role.ADMIN))

    lock = leadership(database.engine.url) if "alone" in flags else Always()
    print("ready", flush=True)
    lead(None, lock, threading.Event(), [Timer(tick, EVERY_S)], check_s=0.1)


if __name__ == "__main__":
    main(*sys.argv[1:])
