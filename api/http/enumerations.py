"""Every list of allowed values gets a name in the OpenAPI document.

So clients have one type for it (`TournamentStatus`), not one for each place where it stands.

The names are those of the models' enumerations; what is none of these is named here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import EnumType, StrEnum
from functools import cache
from typing import Any, Final

from baohuang.engine.rules import CHOICES, PRESETS
from baohuang.engine.tournament.par import PAR_BOTS

from .. import models
from ..access import SCOPES
from ..event_kinds import HOOK_KINDS, KINDS

Values = tuple[Any, ...]
Found = tuple[dict[str, Any], str]
"""A schema with `enum`, and in what it stands: a component or an operation."""

NAME = "x-enum-name"
"""Where a schema brings the name itself."""

OTHERS: Final[Mapping[str, Sequence[Any]]] = {
    "Scope": list(SCOPES),
    "EventKind": list(KINDS),
    "WebhookEventKind": HOOK_KINDS,
    "RatingMeasure": ("place", "score"),
    "ParBot": PAR_BOTS,
    "StandingsView": ("live", "frozen"),
    "TakenOver": ("deal", "match"),
    "WhyUncounted": ("refused", "autoplay", "dissolved"),
    "StreamStart": ("first", "now"),
    "Preset": list(PRESETS),
    "OtherEntries": ("bye", "drawn"),
    "AppealOutcome": ("upheld", "rejected"),
    "Verdict": ("ok", "warning", "failed"),
    "RestOfMatches": ("play", "autoplay", "cancel"),
    **{f"Rule{name.title().replace('_', '')}": values for name, values in CHOICES.items()},
}


def name_enumerations(document: dict[str, Any]) -> None:
    """Move inline enumerations to the components; `null` among them becomes a type beside it."""
    schemas = document["components"]["schemas"]
    named: dict[str, Any] = {}
    for schema, place in [*_of_components(schemas), *_of_operations(document["paths"])]:
        values = tuple(value for value in schema["enum"] if value is not None)
        name = schema.pop(NAME, None) or _name(values, place)
        if name is None:
            continue
        named[name] = _component(values)
        reference = {"$ref": f"#/components/schemas/{name}"}
        nullable = None in schema["enum"]
        del schema["type"], schema["enum"]
        schema.update({"anyOf": [reference, {"type": "null"}]} if nullable else reference)
    schemas.update(named)


def _component(values: Values) -> dict[str, Any]:
    """The schema of an enumeration; generators that make constants would glue `agents:read`."""
    kind = "integer" if isinstance(values[0], int) else "string"
    made: dict[str, Any] = {"type": kind, "enum": list(values)}
    if any(":" in str(value) for value in values):
        made["x-enum-varnames"] = [str(value).upper().replace(":", "_") for value in values]
    return made


def _of_components(schemas: Mapping[str, Any]) -> Iterator[Found]:
    for name, schema in schemas.items():
        for found in _inside(schema):
            yield found, name


def _of_operations(paths: Mapping[str, Any]) -> Iterator[Found]:
    for path in paths.values():
        for operation in path.values():
            if isinstance(operation, dict):
                for found in _inside(operation):
                    yield found, operation["operationId"]


def _inside(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, dict):
        if "enum" in part:
            yield part
        for member in part.values():
            yield from _inside(member)
    elif isinstance(part, list):
        for member in part:
            yield from _inside(member)


def _name(values: Values, place: str) -> str | None:
    """What these values are called there; several may be the same values by chance."""
    names = _names().get(values, [])
    return next((name for name in names if _noun(name) in place.lower()), next(iter(names), None))


def _noun(name: str) -> str:
    """The first word: `webhook` of `WebhookStatus`."""
    return re.split("(?<!^)(?=[A-Z])", name)[0].lower()


@cache
def _names() -> Mapping[Values, list[str]]:
    found: dict[Values, list[str]] = {}
    for name, values in {**_of_models(), **OTHERS}.items():
        found.setdefault(tuple(values), []).append(name)
    return found


def _of_models() -> dict[str, Sequence[str]]:
    kinds = {name: kind for name, kind in vars(models).items() if isinstance(kind, EnumType)}
    return {
        name: [member.value for member in kind]
        for name, kind in kinds.items()
        if issubclass(kind, StrEnum)
    }
