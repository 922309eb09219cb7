"""Lines of an archive; docs/organizers.md says what is in it."""

from __future__ import annotations

from . import fields
from .base import Schema


class ArchiveLine(Schema):
    """One object a line; `type` says which."""

    type = fields.String(required=True)
