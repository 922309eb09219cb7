"""The report on one-sided help in JSON."""

from __future__ import annotations

from typing import Any

from . import fields
from .base import Schema


def _said(description: str) -> dict[str, Any]:
    return {"required": True, "metadata": {"description": description}}


class NamedEntry(Schema):
    """An entry, briefly."""

    entry_id = fields.Id(required=True)
    name = fields.String(required=True)


class CollusionPair(Schema):
    """What was found between two entries. Points are a deal."""

    helper = fields.Nested(NamedEntry, **_said("Who makes less when the other one is there."))
    helped = fields.Nested(NamedEntry, **_said("Who makes more."))
    same_owner = fields.Boolean(**_said("Whether both agents belong to one account."))
    suspicious = fields.Boolean(
        **_said(
            "Whether `adjusted_chance` is at most `level`, and the one gained and the other lost."
        )
    )
    together = fields.Integer(**_said("Boards with both at one table."))
    helper_apart = fields.Integer(**_said("Boards of the helper without the other one."))
    helped_apart = fields.Integer(**_said("Boards of the helped one without the other."))
    help = fields.Float(**_said("How much more apart they end than their strengths explain."))
    gain = fields.Float(**_said("What the helped one made above expectation, with the other."))
    cost = fields.Float(**_said("What the helper made below expectation, with the other."))
    error = fields.Float(**_said("The standard error of `help`."))
    t = fields.Float(**_said("`help` by `error`: Welch's t."))
    freedom = fields.Float(**_said("Its degrees of freedom."))
    chance = fields.Float(**_said("How likely so much is without any help, for this pair alone."))
    adjusted_chance = fields.Float(**_said("The same with all pairs tested in mind (Holm)."))


class CollusionSchema(Schema):
    """How many pairs were tested, and the 50 that stand out most."""

    level = fields.Float(
        **_said("The chance that even one honest pair of a tournament is called suspicious.")
    )
    least_boards = fields.Integer(
        **_said("Pairs are tested that met on so many boards, and were apart on as many each.")
    )
    boards = fields.Integer(**_said("Boards, each as five entries played it, replays together."))
    hands = fields.Integer(**_said("Hands that were played on them."))
    compared_hands = fields.Integer(
        **_said("Hands of these that others held at other tables, so that luck can be taken out.")
    )
    tested = fields.Integer(**_said("Pairs tested."))
    untested = fields.Integer(**_said("Pairs that met too seldom, or were too seldom apart."))
    suspicious = fields.Integer(**_said("How many of the pairs tested."))
    pairs = fields.List(fields.Nested(CollusionPair), **_said("The least likely ones first."))
