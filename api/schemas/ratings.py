"""Ratings in JSON."""

from __future__ import annotations

from marshmallow import validate

from . import fields
from .base import Schema
from .tournaments import Rules

MEASURES = ("place", "score")


class PoolFilters(Schema):
    """Which pools a list holds."""

    preset = fields.String(
        load_default=None,
        validate=validate.Length(1, 40),
        metadata={
            "description": "Only those of rule sets that come from this preset.",
            "examples": ["lianzhong-simple"],
        },
    )


class RatingPoolSchema(Schema):
    """A rule set whose finished tournaments are rated together."""

    id = fields.Id(required=True)
    rules = fields.Nested(Rules, required=True)
    measure = fields.String(
        required=True,
        validate=validate.OneOf(MEASURES),
        metadata={"description": "What is measured: the place in each deal, higher is better."},
    )
    anchors = fields.List(
        fields.String(),
        required=True,
        metadata={"description": "House bots whose mean is 0; none: 0 is the mean of all."},
    )
    tournaments = fields.Integer(required=True)
    deals = fields.Integer(required=True)
    agents = fields.Integer(required=True)
    noise = fields.Float(
        required=True, metadata={"description": "Luck: standard deviation of one deal."}
    )
    spread = fields.Float(
        required=True, metadata={"description": "Standard deviation of the strengths."}
    )
    rated_at = fields.Time(required=True)


class RatingFilters(Schema):
    """Which ratings a list holds."""

    agent_id = fields.Id(load_default=None, metadata={"description": "Only this agent's."})


class EstimateSchema(Schema):
    """Strength in places a deal above the anchor, and how sure that is."""

    deals = fields.Integer(required=True)
    value = fields.Float(required=True)
    sd = fields.Float(required=True, metadata={"description": "Standard deviation of the value."})
    low = fields.Float(required=True, metadata={"description": "Of its interval of 95 %."})
    high = fields.Float(required=True)


class RatingSchema(EstimateSchema):
    """The rating of an agent or a house bot: in all, and in each role."""

    position = fields.Integer(required=True)
    agent_id = fields.Id(required=True, allow_none=True)
    house_bot = fields.String(required=True, allow_none=True)
    name = fields.String(required=True)
    anchor = fields.Boolean(
        required=True, metadata={"description": "Whether it is one that ratings count from."}
    )
    roles = fields.Dict(
        keys=fields.String(),
        values=fields.Nested(EstimateSchema),
        required=True,
        metadata={"description": "By role: emperor, guard, rebel, solo."},
    )
