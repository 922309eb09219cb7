"""The last line of an archive: how many lines there are before it, and the SHA-256 of their bytes.

{"type":"end","lines":42,"sha256":"hex"}

A file that was cut off, or that lost lines on its way, is well formed line by line; this tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from baohuang.engine.tournament.parsing import Reader

KIND: Final = "end"


@dataclass(frozen=True)
class End:
    """The line as it was read; right: whether the digest is that of the bytes before."""

    line: int
    right: bool


class Tally:
    """Lines, with their ends, as they are written or read."""

    def __init__(self) -> None:
        self.lines = 0
        self._digest = sha256()

    def add(self, data: bytes) -> None:
        self.lines += 1
        self._digest.update(data)

    def said(self) -> dict[str, Any]:
        """The end line's object."""
        return {"type": KIND, "lines": self.lines, "sha256": self._digest.hexdigest()}

    def compare(self, reader: Reader) -> End:
        """Read an end line. Raises ArchiveError where it counts otherwise."""
        lines, digest = reader.number("lines"), reader.text("sha256")
        reader.done()
        if lines != self.lines:
            what = "some are missing" if lines > self.lines else "some were added"
            raise reader.error(
                f"the end line counts {lines} lines before it, there are {self.lines}: {what}"
            )
        return End(reader.line, digest == self._digest.hexdigest())
