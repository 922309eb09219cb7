"""The `baohuang` command: one program for players, organizers and operators.

Commands come from the entry points of the group `baohuang.commands`, so that the scheduler can add
its own without being imported here.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import Any

import click

GROUP = "baohuang.commands"


class Commands(click.Group):
    """The commands that are installed; one is imported when it is used, not before."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the alphabet."""
        return sorted(entry_points(group=GROUP).names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command behind a name."""
        return next(map(_load, entry_points(group=GROUP, name=cmd_name)), None)


def _load(entry: EntryPoint) -> click.Command:
    command = entry.load()
    if not isinstance(command, click.Command):
        raise TypeError(f"the entry point {entry.name} is no command")
    return command


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="baohuang-arena", prog_name="baohuang")
def main(**_options: Any) -> None:
    """Run tournaments of Bao Huang for bots."""
