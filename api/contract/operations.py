"""Operations of two OpenAPI documents compared: paths, names, parameters, bodies, statuses.

Only changes that can break a client of the older document are found. What a client sends must not
become narrower, what it receives must not become wider.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .shapes import Direction, Resolver, shape_changes

METHODS = ("get", "put", "post", "patch", "delete", "head", "options")

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """One breaking change: `kind` for machines, `place` as `GET /path …`, `detail` for people."""

    place: str
    kind: str
    detail: str

    @property
    def key(self) -> str:
        """What a declaration of the change names."""
        return f"{self.kind} {self.place}"

    def __str__(self) -> str:
        return f"{self.place}: {self.kind}: {self.detail}"


def changes(old: Document, new: Document) -> list[Change]:
    """Every breaking change from `old` to `new`, in the order of the old document."""
    return [
        change
        for path, item in old["paths"].items()
        for change in _path_changes(old, new, path, item, new["paths"].get(path))
    ]


def _path_changes(
    old: Document, new: Document, path: str, before: Any, after: Any
) -> Iterator[Change]:
    if after is None:
        yield Change(path, "path_removed", "the path is gone")
        return
    for method in METHODS:
        if method not in before:
            continue
        place = f"{method.upper()} {path}"
        if method not in after:
            yield Change(place, "method_removed", "the method is gone")
        else:
            yield from _operation_changes(old, new, place, before[method], after[method])


def _operation_changes(
    old: Document, new: Document, place: str, before: Any, after: Any
) -> Iterator[Change]:
    if before.get("operationId") != after.get("operationId"):
        detail = f"{before.get('operationId')} became {after.get('operationId')}"
        yield Change(place, "operation_id", detail)
    yield from _security_changes(old, new, place, before, after)
    yield from _parameter_changes(old, new, place, before, after)
    yield from _body_changes(old, new, place, before, after)
    yield from _answer_changes(old, new, place, before, after)


def _security_changes(
    old: Document, new: Document, place: str, before: Any, after: Any
) -> Iterator[Change]:
    """A call that was accepted with some credentials must still be."""
    were = before.get("security", old.get("security", [])) or [{}]
    are = after.get("security", new.get("security", [])) or [{}]
    for way in were:
        if not any(_needs_no_more(way, other) for other in are):
            yield Change(place, "security", f"{_shown(way)} is not enough any more")


def _needs_no_more(way: Mapping[str, list[str]], other: Mapping[str, list[str]]) -> bool:
    return all(name in way and set(scopes) <= set(way[name]) for name, scopes in other.items())


def _shown(way: Mapping[str, list[str]]) -> str:
    if not way:
        return "no token"
    return ", ".join(f"{name} {' '.join(scopes)}".strip() for name, scopes in way.items())


def _parameter_changes(
    old: Document, new: Document, place: str, before: Any, after: Any
) -> Iterator[Change]:
    were = _parameters(Resolver(old), before)
    are = _parameters(Resolver(new), after)
    for key, parameter in were.items():
        where = f"{place} {key[0]} {key[1]}"
        if key not in are:
            if key[0] != "header":  # an unknown header is ignored, other arguments are refused
                yield Change(where, "parameter_removed", "it is refused now")
            continue
        other = are[key]
        if other.get("required") and not parameter.get("required"):
            yield Change(where, "required", "it must be given now")
        pair = (Resolver(old), Resolver(new))
        for kind, at, detail in shape_changes(
            pair, parameter.get("schema", {}), other.get("schema", {}), Direction.SENT
        ):
            yield Change(where + at, kind, detail)
    for key, parameter in are.items():
        if key not in were and parameter.get("required"):
            yield Change(f"{place} {key[0]} {key[1]}", "required", "it is new and must be given")


def _parameters(resolver: Resolver, operation: Any) -> dict[tuple[str, str], Any]:
    found = [resolver(parameter) for parameter in operation.get("parameters", [])]
    return {(parameter["in"], parameter["name"]): parameter for parameter in found}


def _body_changes(
    old: Document, new: Document, place: str, before: Any, after: Any
) -> Iterator[Change]:
    was, now = Resolver(old)(before.get("requestBody")), Resolver(new)(after.get("requestBody"))
    where = f"{place} body"
    if was is None:
        if now is not None and now.get("required"):
            yield Change(where, "required", "it is new and must be sent")
        return
    if now is None:
        yield Change(where, "body_removed", "no body is accepted any more")
        return
    if now.get("required") and not was.get("required"):
        yield Change(where, "required", "it must be sent now")
    yield from _content_changes(old, new, where, was, now, Direction.SENT)


def _answer_changes(
    old: Document, new: Document, place: str, before: Any, after: Any
) -> Iterator[Change]:
    """Success statuses are promises; errors may come and go."""
    for status, answer in before.get("responses", {}).items():
        if not status.startswith("2"):
            continue
        where = f"{place} {status}"
        if status not in after.get("responses", {}):
            yield Change(where, "status_removed", "it is not answered any more")
            continue
        was, now = Resolver(old)(answer), Resolver(new)(after["responses"][status])
        for name in was.get("headers", {}):
            if name not in now.get("headers", {}):
                yield Change(f"{where} {name}", "header_removed", "the header is gone")
        yield from _content_changes(old, new, where, was, now, Direction.RECEIVED)


def _content_changes(
    old: Document, new: Document, where: str, was: Any, now: Any, direction: Direction
) -> Iterator[Change]:
    for kind, media in was.get("content", {}).items():
        if kind not in now.get("content", {}):
            yield Change(f"{where} {kind}", "content_type_removed", "the content type is gone")
            continue
        pair = (Resolver(old), Resolver(new))
        other = now["content"][kind].get("schema", {})
        for name, at, detail in shape_changes(pair, media.get("schema", {}), other, direction):
            yield Change(where + at, name, detail)
