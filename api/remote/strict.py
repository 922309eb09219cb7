"""JSON from strangers: RFC 8259 in UTF-8 and nothing more, with depth and numbers bounded first.

Refused beside bad syntax: nesting over 20 (counted on the bytes, before any parser recurses),
integers over 20 digits, numbers beyond a double, NaN and Infinity, a name twice in one object, a
byte order mark, NUL and lone surrogates (a database would refuse them later). Who reads JSON where
others wait for him bounds its parts too: 64 KiB of small lists and objects take 50 ms.
"""

from __future__ import annotations

import json
import math
import re
from typing import NoReturn

MAX_DEPTH = 20
MAX_DIGITS = 20
_MARKS = re.compile(rb'\\.|["\[\]{}]', re.DOTALL)


class NotStrictJson(ValueError):
    """What is wrong with the text, in a few words that quote nothing of it."""


def loads(data: bytes, parts: int | None = None) -> object:
    """The value in `data`: dict, list, str, int, float, bool or None. Raises NotStrictJson.

    `parts`: how many commas and opening brackets there may be, those in strings included.
    """
    if parts is not None and sum(map(data.count, (b",", b"[", b"{"))) > parts:
        raise NotStrictJson(f"more than {parts:,} lists, objects and values")
    if _too_deep(data):
        raise NotStrictJson(f"nested deeper than {MAX_DEPTH}")
    try:
        text = data.decode("utf-8")
        value = _DECODER.decode(text)
    except UnicodeDecodeError:
        raise NotStrictJson("not UTF-8") from None
    except json.JSONDecodeError as error:
        raise NotStrictJson(f"not JSON: {error.msg} at character {error.pos}") from None
    if "\\u" in text:
        _check_strings(value)
    return value


def _too_deep(data: bytes) -> bool:
    if data.count(b"[") + data.count(b"{") <= MAX_DEPTH:
        return False
    depth = 0
    in_string = False
    for match in _MARKS.finditer(data):
        mark = match[0]
        if mark == b'"':
            in_string = not in_string
        elif not in_string and mark in b"[{":
            depth += 1
            if depth > MAX_DEPTH:
                return True
        elif not in_string and mark in b"]}":
            depth -= 1
    return False


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise NotStrictJson("a name occurs twice in one object")
    return value


def _integer(digits: str) -> int:
    if len(digits.removeprefix("-")) > MAX_DIGITS:
        raise NotStrictJson(f"an integer of more than {MAX_DIGITS} digits")
    return int(digits)


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise NotStrictJson("a number too large for a double")
    return value


def _constant(name: str) -> NoReturn:
    raise NotStrictJson(f"{name} is not JSON")


def _check_strings(value: object) -> None:
    if isinstance(value, str):
        if "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
            raise NotStrictJson("a string holds NUL or half a surrogate pair")
    elif isinstance(value, dict):
        for name, member in value.items():
            _check_strings(name)
            _check_strings(member)
    elif isinstance(value, list):
        for member in value:
            _check_strings(member)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=_integer,
    parse_float=_number,
    parse_constant=_constant,
)
