"""Moments that come again: a cron expression in a time zone, right when clocks change.

The expression speaks of what clocks on the wall show there. A time that is skipped in spring counts
with the offset before the change (02:30 happens at 03:30), one that comes twice in autumn counts
once, the first time: as RFC 5545 has it for calendars. Only where the hour is left open (`*`,
`*/n`) it counts both times, because then the interval is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from heapq import heappop, heappush
from itertools import islice, pairwise
from zoneinfo import ZoneInfo, available_timezones

from croniter import croniter
from croniter.croniter import CroniterError

FIELDS = 5
LONGEST = 100  # characters of an expression
LEAST_S = 900  # seconds between two moments
SAMPLE = 200  # moments looked at for that
SLACK = timedelta(hours=26)  # zones have skipped a whole day, none more

_FIELD = re.compile(r"[0-9A-Za-z*/,\-#]+", re.ASCII)
_WORDS = frozenset(
    "jan feb mar apr may jun jul aug sep oct nov dec sun mon tue wed thu fri sat l".split()
)


class CronError(ValueError):
    """The expression or the zone is not one that this module takes; says why."""


def check_zone(name: str) -> None:
    """Raises CronError for what is no name of the time zone database."""
    if name not in _zones():
        raise CronError("There is no such time zone; names are like Europe/Berlin.")


def check(expression: str, zone: str, now: datetime) -> None:
    """Raises CronError for an expression that means nothing, never, or too often."""
    _check_words(expression)
    try:
        found = list(islice(moments(expression, zone, now), SAMPLE))
    except (CroniterError, ValueError, KeyError):
        found = []
    if not found:
        raise CronError("No moment fits: minute, hour, day of month, month, day of week.")
    if any((b - a).total_seconds() < LEAST_S for a, b in pairwise(found)):
        raise CronError(f"Moments must be {LEAST_S // 60} minutes apart.")


def moments(expression: str, zone: str, after: datetime) -> Iterator[datetime]:
    """The moments of an expression after `after`, in UTC, without end."""
    both = expression.split()[1].startswith("*")
    place = ZoneInfo(zone)
    last = after.astimezone(UTC)
    for moment in _in_order(_moments(_walls(expression, place, last), place, both=both)):
        if moment > last:
            last = moment
            yield moment


def shown(moment: datetime, zone: str) -> str:
    """A moment as clocks show it in a zone, with its offset."""
    return moment.astimezone(ZoneInfo(zone)).isoformat(timespec="seconds")


def _walls(expression: str, place: ZoneInfo, after: datetime) -> Iterator[datetime]:
    """What the clock shows at each, from before `after` on; nothing here knows of offsets."""
    start = after.astimezone(place).replace(tzinfo=None) - SLACK
    yield from croniter(expression, start).all_next(datetime)


def _moments(
    walls: Iterator[datetime], place: ZoneInfo, *, both: bool
) -> Iterator[tuple[datetime, list[datetime]]]:
    """Each time on the wall with the moments at which it is shown."""
    for wall in walls:
        first = wall.replace(tzinfo=place).astimezone(UTC)
        second = wall.replace(tzinfo=place, fold=1).astimezone(UTC)
        yield wall.replace(tzinfo=UTC), [first, second] if both and second > first else [first]


def _in_order(found: Iterator[tuple[datetime, list[datetime]]]) -> Iterator[datetime]:
    """Moments sorted; those of a time on the wall are within SLACK of it."""
    waiting: list[datetime] = []
    for wall, some in found:
        for moment in some:
            heappush(waiting, moment)
        while waiting and waiting[0] < wall - SLACK:
            yield heappop(waiting)


def _check_words(expression: str) -> None:
    fields = expression.split(" ")
    if len(expression) > LONGEST or len(fields) != FIELDS:
        raise CronError(f"{FIELDS} fields: minute, hour, day of month, month, day of week.")
    for field in fields:
        words = re.findall("[A-Za-z]+", field)
        if not _FIELD.fullmatch(field) or not all(word.lower() in _WORDS for word in words):
            raise CronError(f"{field} is no field of a cron expression.")


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())
