"""Reading server-sent events as browsers do (WHATWG HTML, section 9.2)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Message:
    """A dispatched event: its name (`message` without one), the last id, the data."""

    name: str
    id: str
    data: str

    @property
    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.data)
        return found


class Reader:
    """Takes bytes as they come; `last_id` and `retry_ms` are what a browser would remember."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self.last_id = ""
        self.retry_ms: int | None = None
        self.comments = 0
        self._messages = self._read()

    def __iter__(self) -> Iterator[Message]:
        return self._messages

    def take(self, count: int) -> list[Message]:
        """The next so many messages."""
        return [message for _, message in zip(range(count), self, strict=False)]

    def _read(self) -> Iterator[Message]:
        text = ""
        for chunk in self._chunks:
            text += chunk.decode()
            *blocks, text = text.split("\n\n")
            for block in blocks:
                message = self._dispatch(block)
                if message is not None:
                    yield message

    def _dispatch(self, block: str) -> Message | None:
        name, data = "message", []
        for line in block.split("\n"):
            field, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if not field:
                self.comments += 1
            elif field == "id":
                self.last_id = value
            elif field == "retry":
                self.retry_ms = int(value)
            elif field == "event":
                name = value
            else:
                assert field == "data"
                data.append(value)
        return Message(name, self.last_id, "\n".join(data)) if data else None
