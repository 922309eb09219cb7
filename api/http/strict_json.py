"""JSON from strangers. What parsers disagree about is refused, so that nobody can hide in it.

Refused: other encodings, a byte order mark, nesting beyond 20, integers beyond 20 digits, numbers
beyond a double, NaN and Infinity, a name twice in one object, NUL, halves of surrogate pairs.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import NoReturn

from ..errors import Malformed
from .pointers import pointer

Path = tuple[str | int, ...]

MAX_DEPTH = 20
MAX_DIGITS = 20

_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)
_BAD_CHARACTER = re.compile("[\x00\ud800-\udfff]")


def parse(data: bytes) -> object:
    """The value of a JSON text; raises `Malformed` with the place."""
    text = _decode(data)
    _check_depth(data)
    try:
        value: object = json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_number,
            parse_constant=_constant,
        )
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        _refuse("", "syntax", f"Not JSON: {error.msg} at {place}.")
    for path, text in _strings(value, ()):
        if _BAD_CHARACTER.search(text):
            _refuse(pointer(path), "character", "NUL and lone surrogates are not allowed in text.")
    return value


def _decode(data: bytes) -> str:
    if data.startswith(b"\xef\xbb\xbf"):
        _refuse("", "encoding", "The body starts with a byte order mark.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        _refuse("", "encoding", f"The body is not UTF-8 at byte {error.start}.")


def _check_depth(data: bytes) -> None:
    """Counted on the bytes: the parser's own limit depends on the Python version."""
    depth = 0
    for match in _TOKENS.finditer(data):
        bracket = match[0]
        if bracket in b"[{":
            depth += 1
        elif bracket in b"]}":
            depth -= 1
        if depth > MAX_DEPTH:
            _refuse("", "depth", f"Nested deeper than {MAX_DEPTH} levels.")


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        _refuse("", "duplicate", f"The name {_shown(twice)} stands twice in one object.")
    return members


def _integer(text: str) -> int:
    if len(text.lstrip("-")) > MAX_DIGITS:
        _refuse("", "number", f"An integer has more than {MAX_DIGITS} digits.")
    return int(text)


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        _refuse("", "number", "A number is too large.")
    return value


def _constant(text: str) -> NoReturn:
    _refuse("", "number", f"{text} is not a JSON number.")


def _strings(value: object, path: Path) -> Iterator[tuple[Path, str]]:
    """Every text in a value, names included, with the path that leads to it."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for name, member in value.items():
            yield path, name
            yield from _strings(member, (*path, name))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from _strings(member, (*path, index))


def _shown(text: str) -> str:
    """A stranger's name in a message: short and printable."""
    return json.dumps(text[:40])


def _refuse(place: str, code: str, detail: str) -> NoReturn:
    raise Malformed(detail, code="malformed_json", errors=[(place, code, detail)]) from None
