"""The published Standard Webhooks library for JavaScript, as an oracle; `make foreign` installs it.

`python -m tests.api.remote.npm_oracle` prints what `signing_vectors.json` is to hold.
"""

from __future__ import annotations

import base64
import contextlib
import json
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ...examples.starters import tool

HERE = Path(__file__).parent
VECTORS = HERE / "signing_vectors.json"
PACKAGE = HERE.parents[2] / ".ci" / "webhooks" / "node_modules" / "standardwebhooks"


class Oracle:
    """A Node process that answers line by line."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def sign(self, secret: str, message: str, timestamp: int, body: str) -> str:
        asked = {"id": message, "timestamp": timestamp, "body": body}
        signature: str = self._ask({"secret": secret, "sign": asked})
        return signature

    def accepts(self, secret: str, headers: dict[str, str], body: str) -> bool:
        accepted: bool = self._ask({"secret": secret, "verify": {"headers": headers, "body": body}})
        return accepted

    def _ask(self, question: dict[str, Any]) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


@contextlib.contextmanager
def npm_oracle() -> Iterator[Oracle]:
    """The library, ready to be asked; a missing one is a failure."""
    if not PACKAGE.is_dir():
        pytest.fail("the npm package standardwebhooks is missing: run `make foreign` (needs npm)")
    command = [tool("node"), str(HERE / "npm_oracle.cjs")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:  # type: ignore[call-overload]
        yield Oracle(process)
        process.stdin.close()


def messages(count: int, seed: str) -> list[tuple[str, int, str]]:
    """Ids, times and bodies (JSON, as the library wants it) from ASCII to four-byte characters."""
    draw = random.Random(seed)
    return [
        (
            f"01J{number:023d}",
            draw.randrange(10**9, 2 * 10**9),
            json.dumps(
                {"text": "".join(_letter(draw) for _ in range(draw.choice([0, 1, 40, 400])))},
                ensure_ascii=False,
            ),
        )
        for number in range(count)
    ]


def _letter(draw: random.Random) -> str:
    low, high = draw.choice([(32, 126), (0xA1, 0x24F), (0x4E00, 0x9FFF), (0x1F000, 0x1F0FF)])
    return chr(draw.randint(low, high))


def secret(length: int, seed: int) -> str:
    """A `whsec_` secret of so many bytes."""
    return "whsec_" + base64.b64encode(random.Random(seed).randbytes(length)).decode()


def vectors() -> list[dict[str, Any]]:
    """What the library signs, to be compared where there is no Node."""
    rows = []
    with npm_oracle() as oracle:
        for number, (message, timestamp, body) in enumerate(messages(24, "vectors")):
            key = secret((24, 32, 64)[number % 3], number)
            row = {"secret": key, "id": message, "timestamp": timestamp, "body": body}
            rows.append({**row, "signature": oracle.sign(key, message, timestamp, body)})
    return rows


if __name__ == "__main__":
    print(json.dumps(vectors(), indent=1, ensure_ascii=False))
