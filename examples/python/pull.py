"""Plays from behind a router: fetches its questions instead of being called. Standard library only.

python pull.py --arena http://127.0.0.1:8000 --agent 01J… --token arn_pat_…
"""

import argparse
import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.request
from typing import Any

WAIT = 20  # seconds that the arena may keep us waiting for a question
MOST = 1_000_000  # bytes of an answer; it has a few thousand


def choose(request: dict[str, Any]) -> str:
    """The lowest card that is legal. Yours will be better: this is the only function to change."""
    if "accept" in request["legal"]:
        return "accept"  # the throne: where nobody takes it, no deal is ever played
    if request["phase"] != "play":
        return request["fallback"]
    return next(play for play in request["legal"] if play != "pass")  # legal is sorted


class StaysHere(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the token is for the arena alone."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Arena:
    """The two operations that a pull agent needs."""

    def __init__(self, base: str, agent: str, token: str) -> None:
        self.base = base.rstrip("/") + "/api/v1"
        self.agent = agent
        self.token = token
        self.open = urllib.request.build_opener(StaysHere).open

    def fetch(self) -> dict[str, Any] | None:
        """The next request of the bot protocol; None if none came in time."""
        return self.call("GET", f"/agents/{self.agent}/decisions?wait={WAIT}")

    def answer(self, request: str, answer: str) -> None:
        self.call("POST", f"/decisions/{request}", {"request": request, "answer": answer})

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Send it until it gets through: what was fetched is given again, an answer counts once."""
        data = None if body is None else json.dumps(body).encode()
        while True:
            request = urllib.request.Request(self.base + path, data, method=method)
            request.add_header("Authorization", f"Bearer {self.token}")
            request.add_header("Content-Type", "application/json")
            try:
                with self.open(request, timeout=WAIT + 10) as response:
                    return json.loads(response.read(MOST).decode("utf-8", "replace") or "null")
            except urllib.error.HTTPError as error:
                if method == "POST" and error.code in (404, 409):
                    print("too late:", error.read(MOST).decode(), flush=True)
                    return None
                if error.code not in (429, 500, 502, 503, 504):
                    told = error.read(MOST).decode()
                    raise SystemExit(f"{method} {path}: {error} {told}") from None
                after = error.headers.get("Retry-After", "")
                time.sleep(int(after) if after.isdecimal() and len(after) < 4 else 1)
            except (OSError, http.client.HTTPException, json.JSONDecodeError) as error:
                print("no answer, asking again:", repr(error)[:200], file=sys.stderr)
                time.sleep(1)  # the arena is being restarted, or the net is down, or cut it short


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arena", default=os.environ.get("ARENA", "http://127.0.0.1:8000"))
    known = os.environ.get("AGENT_ID")
    parser.add_argument("--agent", default=known, required=known is None, help="its id")
    parser.add_argument("--token", default=os.environ.get("ARENA_TOKEN", ""), help="agents:play")
    given = parser.parse_args()
    arena = Arena(given.arena, given.agent, given.token)
    while True:
        request = arena.fetch()
        if request is None:
            continue
        if request["kind"] == "decide":
            arena.answer(request["request"], choose(request))
        elif request["kind"] == "match_end":
            print(request["match"], request["totals"], flush=True)


if __name__ == "__main__":
    main()
