"""The base of every schema."""

from __future__ import annotations

import marshmallow


class Schema(marshmallow.Schema):
    """Fields that nobody declared are refused, in nested objects too."""

    class Meta:
        unknown = marshmallow.RAISE
