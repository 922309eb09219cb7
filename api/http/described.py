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

BY_ENDING: Final[Mapping[str, str]] = {
    "Page": "A piece of a list, and where it goes on.",
    "Part": "Those of its fields that were asked for.",
}


def describe_types(document: dict[str, Any], names: Mapping[Any, str]) -> None:
    """Describe the components; `names` are apispec's, by the key of a schema."""
    schemas = document["components"]["schemas"]
    for key, name in names.items():
        text = _text(key[0], name)
        if text and name in schemas:
            schemas[name] = {"description": text, **schemas[name]}


def _text(schema: type[Schema], name: str) -> str:
    own = vars(schema).get("__doc__") or OTHERS.get(name)
    return cleandoc(own) if own else BY_ENDING.get(name[-4:], "")
