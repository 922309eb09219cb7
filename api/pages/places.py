"""Where in a long list a page begins: `?after=` has the sort key of the last row before it.

A page of several lists has another name for each further one.
"""

from __future__ import annotations

import re
from typing import Any

from flask import request

from ..errors import NotFound
from ..models.base import ULID
from ..services.paging import Page


def row() -> tuple[object, ...] | None:
    """The place in a list by row ids; raises `NotFound` for what is none."""
    return _place("after", ULID, str)


def number(name: str = "after") -> tuple[object, ...] | None:
    """The place in a list by numbers; raises `NotFound` for what is none."""
    return _place(name, "[0-9]{1,9}", int)


def following(found: Page[Any]) -> object | None:
    """What `?after=` says on the next page; None at the end."""
    return None if found.after is None else found.after[0]


def _place(name: str, form: str, kind: type[str] | type[int]) -> tuple[object, ...] | None:
    text = request.args.get(name)
    if text is None:
        return None
    if re.fullmatch(form, text) is None:
        raise NotFound("There is no such place in the list.")
    return (kind(text),)
