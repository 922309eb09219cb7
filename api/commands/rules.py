"""`baohuang rules`: the rules of a preset in words."""

from __future__ import annotations

import click

from baohuang.engine.texts import LANGUAGES, rules_text

from .settings import rules_from, settings_option


@click.command()
@click.argument("preset")
@settings_option
@click.option("--lang", type=click.Choice(LANGUAGES), multiple=True, help="Both by default.")
def rules(preset: str, settings: tuple[str, ...], lang: tuple[str, ...]) -> None:
    """Print the full rules of PRESET, in English and Chinese, made from its options."""
    resolved = rules_from(preset, settings)
    for number, language in enumerate(lang or LANGUAGES):
        click.echo(("\n" if number else "") + rules_text(resolved, language), nl=False)
