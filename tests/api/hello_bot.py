"""A bot on loopback that answers `hello`, rightly or not, and remembers what it was sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@dataclass
class HelloBot:
    """`changes` spoil the right answer: fields to replace, `status`, `content_type`."""

    url: str = ""
    changes: dict[str, Any] = field(default_factory=dict)
    seen: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    def answer(self, body: bytes) -> tuple[int, str, bytes]:
        asked = json.loads(body)
        changes = dict(self.changes)
        status = changes.pop("status", 200)
        content_type = changes.pop("content_type", "application/json")
        shown = {"request": asked["request"], "challenge": asked["challenge"], **changes}
        return status, content_type, json.dumps(shown).encode()


@contextmanager
def hello_bot() -> Iterator[HelloBot]:
    bot = HelloBot()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            bot.seen.append(({name.lower(): value for name, value in self.headers.items()}, body))
            status, content_type, data = bot.answer(body)
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        bot.url = f"http://127.0.0.1:{server.server_port}/bot"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield bot
        finally:
            server.shutdown()
            thread.join()
