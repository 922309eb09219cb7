"""`--set OPTION=VALUE`: overrides of a preset on the command line."""

from __future__ import annotations

from collections.abc import Sequence

import click

from baohuang.engine.rules import CHOICES, NUMBERS, OPTIONS, RuleSet, RuleSetError, rule_set

SWITCH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}

settings_option = click.option(
    "--set", "settings", multiple=True, metavar="OPTION=VALUE", help="Change an option."
)


def rules_from(preset: str, settings: Sequence[str]) -> RuleSet:
    """The rule set of a preset with the given settings; a refusal is a usage error."""
    try:
        return rule_set(preset, dict(map(_setting, settings)))
    except RuleSetError as error:
        raise click.UsageError(str(error)) from error


def _setting(text: str) -> tuple[str, object]:
    name, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"--set wants OPTION=VALUE, not {text!r}")
    if name in NUMBERS or (name in CHOICES and value.isdigit()):
        return name, int(value) if value.isascii() and value.isdigit() else value
    if name in OPTIONS and name not in CHOICES:
        return name, SWITCH.get(value.lower(), value)
    return name, value
