"""The `baohuang` command: one program for players, organizers and operators."""

import click


@click.group()
@click.version_option(package_name="baohuang-arena", prog_name="baohuang")
def main() -> None:
    """Run tournaments of Bao Huang for bots."""
