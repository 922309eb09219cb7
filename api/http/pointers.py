"""Where something was wrong: JSON pointers (RFC 6901) for bodies, `?name` for query arguments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..errors import FieldError

# marshmallow's messages carry no codes, so the stable ones are told apart by their text
_CODES = {
    "Unknown field.": "unknown",
    "Missing data for required field.": "required",
    "Field may not be null.": "null",
    "Invalid input type.": "type",
}


def pointer(path: Iterable[str | int]) -> str:
    """`("a/b", 0)` → `/a~1b/0`; the whole document is the empty string.

    Names come from strangers, so lone surrogates in them are made printable.
    """
    return "".join("/" + _escaped(str(step)) for step in path)


def field_errors(messages: object, path: tuple[str | int, ...] = ()) -> Iterator[FieldError]:
    """marshmallow's nested messages as a flat list."""
    if isinstance(messages, Mapping):
        for step, inner in messages.items():
            yield from field_errors(inner, path if step == "_schema" else (*path, step))
    elif isinstance(messages, list):
        for inner in messages:
            yield from field_errors(inner, path)
    else:
        yield FieldError(pointer(path), _code(str(messages)), str(messages))


def _code(message: str) -> str:
    if message.startswith("Not a valid"):
        return "type"
    return _CODES.get(message, "invalid")


def _escaped(step: str) -> str:
    printable = step.encode("utf-8", "backslashreplace").decode()
    return printable.replace("~", "~0").replace("/", "~1")
