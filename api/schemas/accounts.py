"""Accounts in JSON."""

from __future__ import annotations

from marshmallow import validate

from ..access import SCOPES
from ..models import Role
from . import fields
from .base import Schema

ROLES = [role.value for role in Role]
ROLE_TEXT = "What its tokens may do at most."


class AccountCreate(Schema):
    """A person or organisation to let in."""

    name = fields.Name(maximum=100, required=True, metadata={"description": "Unique."})
    role = fields.String(
        required=True, validate=validate.OneOf(ROLES), metadata={"description": ROLE_TEXT}
    )


class AccountUpdate(Schema):
    """What to change."""

    name = fields.Name(maximum=100, metadata={"description": "Unique."})
    role = fields.String(validate=validate.OneOf(ROLES), metadata={"description": ROLE_TEXT})


class AccountSchema(Schema):
    """One who acts."""

    id = fields.Id(required=True)
    name = fields.String(required=True)
    role = fields.String(
        required=True, validate=validate.OneOf(ROLES), metadata={"description": ROLE_TEXT}
    )
    created_at = fields.Time(required=True)


class WhoAmI(Schema):
    """Who a token stands for."""

    account_id = fields.Id(required=True)
    name = fields.String(required=True)
    role = fields.String(required=True, validate=validate.OneOf(ROLES))
    scopes = fields.List(
        fields.String(validate=validate.OneOf(SCOPES)),
        required=True,
        metadata={"description": "What the token and the role both allow."},
    )
