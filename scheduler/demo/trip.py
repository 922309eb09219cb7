"""The trip itself: accounts, agents, a tournament from draft to standings, every record re-checked.

Everything goes over HTTP, as strangers would do it; only the first token is made at the database.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from baohuang import api
from baohuang.api.ports import free_port
from baohuang.engine.draw import commitment
from baohuang.engine.record import RecordError, verify

from ..supervisor import Child
from .client import Client, DemoFailed
from .screen import Screen, standings_table

EXAMPLES = Path(api.__path__[0]).parent / "examples" / "bots"
AGENTS = {
    "Careful": "careful.py",
    "Greedy": "greedy.py",
    "Lowest": "lowest.py",
    "Misbehaving": "misbehaving.py",
    "Random": "random_bot.py",
}
HOUSE_BOTS = ("greedy", "greedy", "autoplay", "random", "random")
TOURNAMENT: dict[str, object] = {
    "name": "Demo Cup",
    "rule_set": "lianzhong-simple",
    "format": "round_robin",
    "rounds": 4,
    "deals": 2,
    "capacity": len(AGENTS) + len(HOUSE_BOTS),
    "budget_ms": 1000,
    "bank_ms": 2000,
    "round_interval_s": 0,
}
POLL_S = 0.25

StartAgents = Callable[[Sequence[Child]], Awaitable[None]]


@dataclass(frozen=True)
class Trip:
    """One tournament. `start_agents` runs the sample bots' processes; `log` takes what they say."""

    client: Client
    screen: Screen
    start_agents: StartAgents
    log: Path

    async def run(self) -> None:
        """From the first account to the standings. Raises `DemoFailed`."""
        organizer = await self._person("Olga", "organizer")
        author = await self._person("Anton", "author")
        agents = await self._agents(author)
        tournament = await self._call(organizer.post, "/tournaments", TOURNAMENT)
        path = f"/tournaments/{tournament['id']}"
        await self._call(organizer.post, f"{path}/open")
        for agent in agents:
            await self._call(author.post, f"{path}/entries", {"agent_id": agent})
        for bot in HOUSE_BOTS:
            await self._call(organizer.post, f"{path}/entries", {"house_bot": bot})
        await self._call(organizer.post, f"{path}/start")
        self.screen.say(
            f"Playing {tournament['name']}: {TOURNAMENT['rounds']} rounds of "
            f"{TOURNAMENT['deals']} deals, {len(AGENTS)} agents over HTTP, "
            f"{len(HOUSE_BOTS)} house bots"
        )
        await self._until_finished(path)
        await self._show(path)
        await self._check_again(path, tournament["draw"]["commitment"])

    async def _person(self, name: str, role: str) -> Client:
        """A new account's client, by a token of its own."""
        account = await self._call(self.client.post, "/accounts", {"name": name, "role": role})
        wanted = ["agents:write", "entries:write"]
        if role == "organizer":
            wanted = ["entries:write", "tournaments:read", "tournaments:write"]
        path = f"/accounts/{account['id']}/tokens"
        token = await self._call(self.client.post, path, {"name": "demo", "scopes": wanted})
        return self.client.as_holder_of(token["token"])

    async def _agents(self, author: Client) -> list[str]:
        """Register the sample bots, start them with their secrets, have them verified."""
        children, ids = [], []
        for name, file in AGENTS.items():
            port = free_port()
            body = {"name": name, "url": f"http://127.0.0.1:{port}/"}
            made = await self._call(author.post, "/agents", body)
            ids.append(made["id"])
            command = (sys.executable, str(EXAMPLES / file), "--port", str(port))
            children.append(Child(name, command, {"AGENT_SECRET": made["secret"]}, self.log))
        await self.start_agents(children)
        for name, agent in zip(AGENTS, ids, strict=True):
            await self._verified(author, name, agent)
        return ids

    async def _verified(self, author: Client, name: str, agent: str) -> None:
        """Its process may still be starting, so it may need a second try."""
        for patience in (True, True, True, False):
            try:
                await self._call(author.post, f"/agents/{agent}/verify")
            except DemoFailed:
                if not patience:
                    raise
                await asyncio.sleep(1)
            else:
                self.screen.say(f"Verified agent {name}")
                return

    async def _until_finished(self, path: str) -> None:
        while True:
            tournament = await self._call(self.client.get, path)
            matches = await self._call(self.client.get, f"{path}/matches?limit=100")
            self.screen.progress(_progress(matches["items"]))
            if tournament["status"] == "finished":
                return
            if tournament["status"] != "running":
                raise DemoFailed(f"The tournament stopped: {tournament['status_reason']}")
            await asyncio.sleep(POLL_S)

    async def _show(self, path: str) -> None:
        standings = await self._call(self.client.get, f"{path}/standings?limit=100")
        self.screen.say("\n" + standings_table(standings["items"]) + "\n")

    async def _check_again(self, path: str, promised: str) -> None:
        """What anybody can do afterwards: the revealed secret, and every record from scratch."""
        tournament = await self._call(self.client.get, path)
        if commitment(bytes.fromhex(tournament["draw"]["secret"])) != promised:
            raise DemoFailed("The revealed secret is not the one that was committed to.")
        records = await self._call(self.client.lines, f"{path}/records")
        for record in records:
            try:
                await asyncio.to_thread(verify, record)
            except RecordError as error:
                raise DemoFailed(f"A record is wrong: {error}") from None
        self.screen.say(f"Re-checked {len(records)} records: cards, answers and scores are right")

    async def _call(self, call: Callable[..., Any], *arguments: object) -> Any:
        """Off the event loop, which keeps the processes alive meanwhile."""
        return await asyncio.to_thread(call, *arguments)


def _progress(matches: Sequence[dict[str, Any]]) -> str:
    done = sum(match["status"] == "finished" for match in matches)
    number = max((match["round"] for match in matches), default=0)
    return f"Round {number} of {TOURNAMENT['rounds']}: {done} matches finished"
