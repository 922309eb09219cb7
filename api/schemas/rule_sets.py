"""Rule sets in JSON; every option of rules.md section 8 with its values, read from the engine."""

from __future__ import annotations

from typing import Any

from marshmallow import validate
from marshmallow.fields import Field

from baohuang.engine.rules import CHOICES, NUMBERS, OPTIONS, PRESETS

from . import fields
from .base import Schema


def _option(name: str, *, required: bool) -> Field[Any]:
    """The field of one option; in a resolved rule set null stands where it does not apply."""
    common: dict[str, Any] = {"required": required, "allow_none": required}
    if name in NUMBERS:
        return fields.Integer(minimum=0, maximum=NUMBERS[name], **common)
    if name not in CHOICES:
        return fields.Boolean(**common)
    kind = fields.Integer if isinstance(CHOICES[name][0], int) else fields.String
    return kind(validate=validate.OneOf(CHOICES[name]), **common)


RuleOverrides = Schema.from_dict(
    {name: _option(name, required=False) for name in OPTIONS}, name="RuleOverrides"
)
"""The options that differ from a preset's."""

RuleOptions = Schema.from_dict(
    {name: _option(name, required=True) for name in OPTIONS}, name="RuleOptions"
)
"""Every option, resolved."""


class RuleSetCreate(Schema):
    """A rule set of one's own."""

    name = fields.Name(
        maximum=60, required=True, metadata={"description": "Unique among your rule sets."}
    )
    preset = fields.String(
        required=True,
        validate=validate.OneOf(PRESETS),
        metadata={"description": "What it starts from."},
    )
    overrides = fields.Nested(
        RuleOverrides,
        load_default=dict,
        metadata={"description": "The options that differ from the preset's."},
    )


class RuleSetSchema(Schema):
    """A preset or a rule set of one's own, resolved."""

    id = fields.String(
        required=True, metadata={"description": "A preset's name, or the id of one of your own."}
    )
    name = fields.String(required=True)
    preset = fields.String(required=True, metadata={"description": "What it starts from."})
    owner_id = fields.Id(
        required=True, allow_none=True, metadata={"description": "Whose it is; null for a preset."}
    )
    overrides = fields.Nested(
        RuleOverrides, required=True, metadata={"description": "What differs from the preset."}
    )
    options = fields.Nested(
        RuleOptions,
        required=True,
        metadata={"description": "Every option with its value; null where it does not apply."},
    )


class OptionDescription(Schema):
    """One option of a rule set, in words."""

    name = fields.String(required=True, metadata={"description": "The option."})
    english = fields.String(required=True, metadata={"description": "What its value means."})
    chinese = fields.String(required=True, metadata={"description": "The same in Chinese."})


class RuleSetText(Schema):
    """The whole rules in words, as Markdown."""

    en = fields.String(required=True, metadata={"description": "English."})
    zh = fields.String(required=True, metadata={"description": "Chinese."})


class RuleSetDetail(RuleSetSchema):
    """A rule set with its rules in words, made from the options."""

    descriptions = fields.List(
        fields.Nested(OptionDescription),
        required=True,
        metadata={"description": "Every option in words, in the order of `options`."},
    )
    text = fields.Nested(
        RuleSetText, required=True, metadata={"description": "The full rules of this rule set."}
    )
