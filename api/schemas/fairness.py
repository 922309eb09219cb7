"""The fairness certificate in JSON."""

from __future__ import annotations

from typing import Any

import marshmallow

from . import fields
from .base import Schema


def _said(description: str, *, null: bool = False) -> dict[str, Any]:
    return {"required": True, "allow_none": null, "metadata": {"description": description}}


def _counts(description: str, *, null: bool = False) -> marshmallow.fields.List[Any]:
    return fields.List(fields.Integer(), **_said(description, null=null))


def _table(description: str, *, null: bool = False) -> marshmallow.fields.List[Any]:
    return fields.List(fields.List(fields.Integer()), **_said(description, null=null))


class Spread(Schema):
    """How far apart a count is over the entries."""

    least = fields.Integer(required=True)
    most = fields.Integer(required=True)
    unavoidable = fields.Integer(
        **_said("The difference that arithmetic forces: 0 where it goes even, else 1.")
    )


class FairEntry(Schema):
    """One entry; its place in the list is its row and column."""

    entry_id = fields.Id(required=True)
    name = fields.String(required=True)


class OneOwner(Schema):
    """Two entries of one owner that met."""

    entry_ids = fields.List(fields.Id(), required=True)
    meetings = fields.Integer(required=True)


class FairnessSchema(Schema):
    """How equally a tournament treated its entries, and how equally it could.

    Counts come from the rounds as they were drawn. Matrices are null in fields of more than 250.
    """

    entries = fields.List(
        fields.Nested(FairEntry), **_said("The order of all rows and columns below.")
    )
    rounds = fields.Integer(**_said("Rounds drawn so far."))
    meetings = _table("meetings[i][j]: rounds in which i and j sat at one table.", null=True)
    next = _table("next[i][j]: matches in which j sat right after i.", null=True)
    pairs = _counts("How many pairs met 0, 1, 2, … times.")
    neighbours = _counts("How many ordered pairs were neighbours 0, 1, 2, … times.")
    seats = _table("seats[i]: matches in seats 0 to 4; seat 0 is dealt first in deal 1.")
    dealt_first = _counts(
        "Deals of finished matches in which each was dealt first; after deal 1 that goes by the "
        "emperor, so where tables share cards a round's matches count once it has ended.",
    )
    dealt_first_spread = fields.Nested(
        Spread,
        **_said("Those who differ most in it, of entries that were dealt equally many deals."),
    )
    played = _counts("Rounds at a table.")
    byes = _counts("Rounds with a bye.")
    repeats = fields.Integer(**_said("Meetings beyond each pair's first."))
    repeats_bound = fields.Integer(**_said("No schedule has fewer: proved."))
    repeats_above_bound = fields.Integer(required=True)
    squares = fields.Integer(**_said("Sum over pairs of C(meetings, 2): how uneven meetings are."))
    squares_bound = fields.Integer(**_said("No schedule has less: proved."))
    squares_above_bound = fields.Integer(required=True)
    neighbour_squares = fields.Integer(
        **_said("Sum over ordered pairs of C(times the second sat right after the first, 2).")
    )
    neighbour_squares_bound = fields.Integer(
        **_said("No seats have less, by counting; five rounds of one table cannot reach it.")
    )
    neighbour_squares_above_bound = fields.Integer(required=True)
    seat_spread = fields.Nested(
        Spread, **_said("The entry whose seats are most uneven: its rarest and its most frequent.")
    )
    bye_spread = fields.Nested(Spread, **_said("Byes of entries that missed no round."))
    apart = fields.List(
        fields.Nested(OneOwner), **_said("Entries of one owner that met all the same.")
    )
