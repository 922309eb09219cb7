"""The errands of an author, each some calls of the API."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median_low
from typing import Any
from urllib.parse import quote

from ..models.base import ULID
from . import answers
from .arena import Arena, ArenaRefused
from .shapes import Row, Shape

POLL_S = 0.3
_SECRET = r"whsec_[A-Za-z0-9+/]{32,88}={0,2}"
OVER = ("finished", "failed", "cancelled")


@dataclass(frozen=True)
class Seat:
    """What one seat made of a match, and how the calls to it went if it is the author's."""

    name: str
    points: int
    calls: Sequence[dict[str, Any]]

    @property
    def told(self) -> str:
        """Calls, times and faults in words; nothing for a seat of somebody else's."""
        if not self.calls:
            return ""
        times = [call["ms"] for call in self.calls]
        faults = [call["fault"] for call in self.calls if call["fault"]]
        kinds = ", ".join(f"{faults.count(kind)} {kind}" for kind in dict.fromkeys(faults))
        return (
            f"{len(times)} calls, {median_low(times)} ms in the middle, {max(times)} ms at most, "
            + (f"faults: {kinds}" if faults else "no faults")
        )


@dataclass(frozen=True)
class OwnEntry:
    """An agent's entry: where it is, and what it is called."""

    path: str
    name: str


def verified(
    arena: Arena,
    path: str,
    wait: Callable[[float], None] = time.sleep,
    shape: Shape = answers.STATE,
) -> dict[str, Any]:
    """The agent or version at `path`, once it echoed the challenge.

    One that nobody answers for may be starting still. Raises `ArenaRefused` with the kind of the
    fault.
    """
    for patience in (1.0, 3.0, 0.0):
        try:
            found: dict[str, Any] = arena.post(f"{path}/verify", shape=shape)
        except ArenaRefused as refused:
            if "connect" not in refused.codes or not patience:
                raise
            wait(patience)
        else:
            return found
    raise AssertionError("the last attempt returns or raises")


def newest_version(arena: Arena, agent: str) -> int:
    """The number of the newest version that is not retired. Raises `ArenaRefused`."""
    for version in arena.items(f"/agents/{agent}/versions", answers.VERSION):
        if version["status"] != "retired":
            number: int = version["number"]
            return number
    raise ArenaRefused("The agent has no version that is not retired.")


def checked(arena: Arena, path: str, wait: Callable[[float], None] = time.sleep) -> dict[str, Any]:
    """What a worker of the arena found about the version at `path`. Raises `ArenaRefused`."""
    found: dict[str, Any] = arena.post(f"{path}/check", shape=answers.CHECK)
    while found["waiting"]:
        wait(POLL_S)
        found = arena.get(f"{path}/check", answers.CHECK)
    return found


def entry_of(arena: Arena, tournament: str, agent: str) -> OwnEntry:
    """An agent's entry in a tournament. Raises `ArenaRefused`."""
    path = f"/tournaments/{tournament}/entries?agent_id={quote(agent, safe='')}"
    for entry in arena.get(path, {"items": Row(answers.ENTRY)})["items"]:
        return OwnEntry(f"/entries/{quote(entry['id'], safe='')}", entry["name"])
    raise ArenaRefused("The agent has not entered this tournament.")


def check_in_wanted(tournament: Mapping[str, Any]) -> str:
    """When who has entered must check in, as the beginning of a sentence; empty if nobody must."""
    if tournament["status"] != "open" or tournament["check_in_s"] is None:
        return ""
    opens, starts = tournament["check_in_opens_at"], tournament["starts_at"]
    begin = "now on" if opens is None else opens
    end = "the organizer starts it" if starts is None else starts
    return f"It must check in, from {begin} until {end}, or it loses its place:"


def match_fault(fault: Mapping[str, Any] | None) -> str:
    """What went wrong last in a match, on one line; `-` for nothing."""
    if fault is None:
        return "-"
    where = f"call {fault['seq']} of match {fault['match_id']}, {fault['at']}"
    detail = "" if fault["detail"] is None else f": {fault['detail']}"
    return f"{fault['kind']} ({fault['charged_to']}), {where}{detail}"


def state_told(made: Mapping[str, Any]) -> str:
    """The state of an agent or an entry as a sentence."""
    return f"{made['name']} is {made['status']}."


def own_match(match: Mapping[str, Any]) -> str:
    """One of an agent's matches on one line; `-` for what is not there, or not to be seen yet."""
    points = "-" if match["points"] is None else f"{match['points'] + (match['penalty'] or 0):+d}"
    where = "practice"
    if match["tournament_id"] is not None:
        where = f"{match['tournament_id']}  {match['tournament']}"
    number = "-" if match["round"] is None else match["round"]
    return f"{match['id']:26}  {match['status']:9}  {points:>6}  {number:>5}  {where}"


def shell_variables(made: Mapping[str, Any]) -> list[str]:
    """An agent's id (or its version's number) and secret as lines for a shell.

    A shell runs what it is given here, so an arena's word is not taken for it: `ArenaRefused`.
    """
    variables = [("AGENT_SECRET", made["secret"], _SECRET)]
    if "number" in made:
        variables.insert(0, ("AGENT_VERSION", made["number"], r"[1-9][0-9]*"))
    else:
        variables.insert(0, ("AGENT_ID", made["id"], ULID))
    given = [each for each in variables if each[1] is not None]
    if not all(re.fullmatch(pattern, str(value)) for _, value, pattern in given):
        raise ArenaRefused("The arena's answer holds no proper id or secret.")
    return [f"export {name}={value}" for name, value, _ in given]


def chosen_seat(text: str) -> dict[str, str]:
    """A seat as the API wants it: the id of an agent, or the name of a house bot."""
    return {"agent_id": text} if re.fullmatch(ULID, text) else {"house_bot": text}


def until_over(arena: Arena, match_id: str, wait: Callable[[float], None] = time.sleep) -> None:
    """Wait until a match is over. Raises `ArenaRefused` if it was not played to its end."""
    while (match := arena.get(f"/matches/{match_id}", answers.MATCH))["status"] not in OVER:
        wait(POLL_S)
    if match["status"] != "finished":
        raise ArenaRefused(f"The match is {match['status']}: {match['error'] or 'no reason given'}")


def seats_of(arena: Arena, match_id: str) -> list[Seat]:
    """The five seats of a finished match."""
    record = arena.get(f"/matches/{match_id}/record", answers.RECORD)
    calls = list(arena.items(f"/matches/{match_id}/calls", answers.CALL))
    return [
        Seat(name, points + penalty, [call for call in calls if call["seat"] == number])
        for number, (name, points, penalty) in enumerate(
            zip(record["seats"], record["totals"], record["penalties"], strict=True)
        )
    ]


def hold_cup(arena: Arena, name: str, agents: Sequence[str], settings: dict[str, Any]) -> str:
    """A tournament of one's own with `agents` in it, started; its id.

    Raises `ArenaRefused`; then the tournament is cancelled.
    """
    made: str = arena.post("/tournaments", {"name": name, **settings}, answers.MADE)["id"]
    path = f"/tournaments/{made}"
    try:
        arena.post(f"{path}/open")
        for agent in agents:
            arena.post(f"{path}/entries", {"agent_id": agent})
        arena.post(f"{path}/start")
    except ArenaRefused:
        arena.post(f"{path}/cancel")
        raise
    return made


def until_finished(
    arena: Arena, tournament_id: str, wait: Callable[[float], None] = time.sleep
) -> None:
    """Wait until a tournament has finished. Raises `ArenaRefused` if it stops before that."""
    while True:
        tournament = arena.get(f"/tournaments/{tournament_id}", answers.TOURNAMENT)
        if tournament["status"] == "finished":
            return
        if tournament["status"] != "running":
            reason = tournament["status_reason"] or "no reason given"
            raise ArenaRefused(f"The tournament is {tournament['status']}: {reason}")
        wait(POLL_S)
