"""Decisions that pull agents fetch and answer."""

from __future__ import annotations

import re

from marshmallow import INCLUDE, ValidationError, validate

from ..models.base import ULID
from . import fields
from .base import Schema

MAX_WAIT_S = 30
MAX_KNOWN = 100

_KNOWN = re.compile(rf"{ULID}(,{ULID}){{0,{MAX_KNOWN - 1}}}")


def _ids(text: str) -> None:
    if not _KNOWN.fullmatch(text):
        raise ValidationError(f"Up to {MAX_KNOWN} request ids, separated by commas.")


class DecisionsQuery(Schema):
    """How to wait for a question."""

    wait = fields.Integer(
        minimum=0,
        maximum=MAX_WAIT_S,
        load_default=0,
        metadata={"description": "Seconds to wait until there is a question."},
    )
    known = fields.String(
        load_default=None,
        validate=[validate.Length(max=27 * MAX_KNOWN), _ids],
        metadata={
            "description": "Ids of questions that you are working on, separated by commas; they "
            "are not given again.",
            "pattern": f"^{ULID}(,{ULID})*$",
        },
    )


class AnswerCreate(Schema):
    """An answer of the bot protocol."""

    request = fields.String(
        load_default=None,
        validate=validate.Regexp(f"^{ULID}$"),
        metadata={"description": "The id of the request; if given, the one in the path."},
    )
    answer = fields.String(
        required=True,
        validate=validate.Length(1, 40),
        metadata={"description": "One of the request's `legal`, exactly as it stands there."},
    )
    note = fields.String(
        load_default=None,
        allow_none=True,
        validate=validate.Length(max=256),
        metadata={"description": "For yourself and the arbiter; no other player sees it."},
    )


class TakenSchema(Schema):
    """An answer that counts."""

    request = fields.String(required=True)
    answer = fields.String(required=True)
    ms = fields.Integer(
        required=True, metadata={"description": "From the first fetching to this answer."}
    )


class BotRequest(Schema):
    """A request of bot protocol 1, as an agent with a URL gets it (`openapi/bot.yaml`)."""

    class Meta:
        unknown = INCLUDE  # the rest is the protocol's own

    protocol = fields.Constant(1, required=True)
    kind = fields.String(
        required=True, validate=validate.OneOf(["decide", "deal_end", "match_end"])
    )
    request = fields.String(
        required=True, metadata={"description": "Answer a `decide` under this id."}
    )
    match = fields.Id(required=True)
    tournament = fields.Id(required=True, allow_none=True)
    round = fields.Integer(required=True, allow_none=True)
    table = fields.Integer(required=True, allow_none=True)
    seat = fields.Integer(required=True, minimum=0, maximum=4)
    deal = fields.Integer(metadata={"description": "Which deal; not of `match_end`."})
    turn = fields.Integer(
        metadata={
            "description": "Of `decide`: 1, 2, … over the match: one more than public answers."
        }
    )
    phase = fields.String(
        metadata={"description": "Of `decide`: throne, grab, call, declare, kick or play."}
    )
    hand = fields.String(metadata={"description": "Of `decide`: your cards, lowest first."})
    legal = fields.List(
        fields.String(), metadata={"description": "Of `decide`: every answer that you may give."}
    )
    fallback = fields.String(
        metadata={"description": "Of `decide`: what is played if you do not answer in time."}
    )
