"""Tokens in JSON. The text itself appears in one schema only: the answer that makes it."""

from __future__ import annotations

from marshmallow import validate

from ..access import MAX_GRACE_S, MAX_TOKEN_DAYS, SCOPES, TOKEN_DAYS
from . import fields
from .base import Schema


class TokenCreate(Schema):
    """A further token of one's own."""

    name = fields.Name(
        maximum=100, required=True, metadata={"description": "What the token is for."}
    )
    scopes = fields.List(
        fields.String(validate=validate.OneOf(SCOPES)),
        load_default=None,
        validate=validate.Length(1, len(SCOPES)),
        metadata={"description": "What it may do; without this it can only read."},
    )
    days = fields.Integer(
        minimum=1,
        maximum=MAX_TOKEN_DAYS,
        load_default=TOKEN_DAYS,
        metadata={"description": "How long it lives; not beyond the token that makes it."},
    )


class TokenRotate(Schema):
    """How the old token ends."""

    grace_s = fields.Integer(
        minimum=0,
        maximum=MAX_GRACE_S,
        load_default=0,
        metadata={"description": "Seconds that the old token goes on to work."},
    )


class TokenSchema(Schema):
    """A token as lists show it."""

    id = fields.Id(required=True)
    account_id = fields.Id(required=True, metadata={"description": "Whose token it is."})
    name = fields.String(required=True)
    hint = fields.String(required=True, metadata={"description": "Its first characters."})
    scopes = fields.List(fields.String(), required=True)
    created_at = fields.Time(required=True)
    expires_at = fields.Time(required=True)
    ends_by = fields.Time(
        required=True,
        allow_none=True,
        metadata={
            "description": "What replaces it ends no later; null: it may live as long again."
        },
    )
    last_used_at = fields.Time(
        required=True, allow_none=True, metadata={"description": "To within five minutes."}
    )
    revoked_at = fields.Time(required=True, allow_none=True)


class TokenCreated(TokenSchema):
    """A new token, with its text."""

    token = fields.String(
        required=True, metadata={"description": "The token itself. It is shown this once."}
    )
