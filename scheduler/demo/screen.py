"""What the demo shows: one line of progress on a terminal, plain lines otherwise, and a table."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Sequence
from typing import Any

import click


class Screen:
    """Standard output. Progress overwrites itself on a terminal and is a line elsewhere."""

    def __init__(self) -> None:
        self._live = sys.stdout.isatty()
        self._shown = ""

    def say(self, text: str) -> None:
        """A line that stays."""
        self._clear()
        click.echo(text)

    def progress(self, text: str) -> None:
        """How far it is; said again only when it changed."""
        if text == self._shown:
            return
        if self._live:
            click.echo(f"\r{text}\x1b[K", nl=False)
        else:
            click.echo(text)
        self._shown = text

    def _clear(self) -> None:
        if self._live and self._shown:
            click.echo("\r\x1b[K", nl=False)
        self._shown = ""


def standings_table(rows: Sequence[dict[str, Any]]) -> str:
    """The standings as text, with the sum of all points below (0: rules.md 3.5)."""
    head = ["rank", "name", "", "points", "deals", "1st", "2nd", "3rd", "4th", "5th"]
    lines = [head, *(_line(row) for row in rows)]
    lines.append(["", "sum", "", str(sum(row["points"] for row in rows)), *[""] * 6])
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    texts = ["  ".join(map(_cell, line, widths, range(len(line)))).rstrip() for line in lines]
    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    return "\n".join([texts[0], rule, *texts[1:-1], rule, texts[-1]])


def _line(row: dict[str, Any]) -> list[str]:
    rank = f"{row['rank']}=" if row["shared"] else str(row["rank"])
    house = "house" if row["house"] else ""
    numbers = [row["points"], row["deals"], *row["places"]]
    return [rank, row["name"], house, *map(str, numbers)]


def _cell(text: str, width: int, column: int) -> str:
    """Words to the left, numbers to the right."""
    space = " " * (width - _width(text))
    return text + space if column in (1, 2) else space + text


def _width(text: str) -> int:
    """Columns on a terminal: Chinese characters take two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
