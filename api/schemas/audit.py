"""The audit log in JSON."""

from __future__ import annotations

from marshmallow import validate

from . import fields
from .base import Schema


class AuditFilters(Schema):
    """Which rows; who is no admin names a tournament."""

    tournament_id = fields.Id(
        load_default=None, metadata={"description": "Of this tournament only."}
    )
    kind = fields.String(
        load_default=None,
        validate=validate.Length(1, 30),
        metadata={"description": "Of this kind of thing only, as `kind` in the rows."},
    )
    object_id = fields.Id(load_default=None, metadata={"description": "Of this thing only."})
    account_id = fields.Id(load_default=None, metadata={"description": "By this account only."})


class AuditRowSchema(Schema):
    """One change of one thing."""

    seq = fields.Integer(required=True, metadata={"description": "1, 2, … without gaps."})
    at = fields.Time(required=True)
    account_id = fields.Id(required=True, allow_none=True)
    token_id = fields.Id(required=True, allow_none=True)
    request_id = fields.String(required=True, allow_none=True)
    operation = fields.String(
        required=True, metadata={"description": "Of this API, or server, or a command."}
    )
    action = fields.String(
        required=True, metadata={"description": "create, change, delete, or a note."}
    )
    kind = fields.String(required=True)
    object_id = fields.String(required=True)
    tournament_id = fields.Id(required=True, allow_none=True)
    before = fields.String(
        required=True, allow_none=True, metadata={"description": "SHA-256 of what it was."}
    )
    after = fields.String(required=True, allow_none=True)
    payload = fields.Dict(
        keys=fields.String(), required=True, metadata={"description": "The new values."}
    )
    hash = fields.String(
        required=True, metadata={"description": "SHA-256 of the hash before and this row."}
    )


class AuditHeadSchema(Schema):
    """The last row's number and hash. Keep it to check the log against later."""

    seq = fields.Integer(required=True)
    hash = fields.String(required=True)
