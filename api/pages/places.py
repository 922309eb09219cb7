"""Where in a long list a page begins: `?after=` has the sort key of the last row before it."""

from __future__ import annotations

import re
from typing import Any

from flask import request

from ..errors import NotFound
from ..models.base import ULID
from ..services.paging import Page


def row() -> tuple[object, ...] | None:
    """The place in a list by row ids; raises `NotFound` for what is none."""
    return _place(ULID, str)


def number() -> tuple[object, ...] | None:
    """The place in a list by numbers; raises `NotFound` for what is none."""
    return _place("[0-9]{1,9}", int)


def following(found: Page[Any]) -> object | None:
    """What `?after=` says on the next page; None at the end."""
    return None if found.after is None else found.after[0]


def _place(form: str, kind: type[str] | type[int]) -> tuple[object, ...] | None:
    text = request.args.get("after")
    if text is None:
        return None
    if re.fullmatch(form, text) is None:
        raise NotFound("There is no such place in the list.")
    return (kind(text),)
