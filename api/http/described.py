"""What the types of the OpenAPI document are, in words: the docstrings of their schemas."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import cleandoc
from typing import Any, Final

from marshmallow import Schema

OTHERS: Final[Mapping[str, str]] = {
    "RuleOptions": "Every option of a rule set; null where it does not apply.",
    "RuleOverrides": "The options that differ from a preset's.",
    "SeriesCreate": "A series to make.",
    "SeriesUpdate": "What to change of a series.",
    "TournamentCreate": "A tournament to make.",
    "TournamentSettings": "What the tournaments of a series have in common.",
    "TournamentUpdate": "What to change of a tournament.",
}
"""Schemas that are put together by code and have no docstring."""

PAGE: Final = "A part of a list, and where it goes on."


def describe_types(document: dict[str, Any], names: Mapping[Any, str]) -> None:
    """Describe the components; `names` are apispec's, by the key of a schema."""
    schemas = document["components"]["schemas"]
    for key, name in names.items():
        text = _text(key[0], name)
        if text and name in schemas:
            schemas[name] = {"description": text, **schemas[name]}


def _text(schema: type[Schema], name: str) -> str:
    if name in OTHERS or name.endswith("Page"):
        return OTHERS.get(name, PAGE)
    return cleandoc(vars(schema).get("__doc__") or "")
