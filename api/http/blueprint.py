"""The project's `Blueprint`: flask-smorest's decorators declare, `Operation` does the work.

flask-smorest documents what `arguments` and `response` say; its running part is replaced. The
decorators of a method may stand in any order, because they only note something on it; the route
puts the parts together in the one right order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar

import flask_smorest
from flask import Response
from flask.views import MethodView
from marshmallow import Schema

from . import documented
from .answer import JSON, Answering
from .body import MAX_BODY
from .call import Call
from .deprecation import Deprecation
from .operation import Glance, Operation
from .paged import paged_query, paged_schema

F = TypeVar("F", bound=Callable[..., Any])
SchemaLike = Schema | type[Schema]


class Blueprint(flask_smorest.Blueprint):  # type: ignore[misc]
    """A group of resources: one file, one noun, one tag in the documentation."""

    def __init__(self, name: str, *, description: str) -> None:
        super().__init__(name, __name__, description=description)
        self.glanced: list[tuple[str, str, Operation]] = []
        """Rule, endpoint and operation of GETs whose version is known by a glance."""

    def operation(
        self,
        name: str,
        *,
        scope: str | None,
        idempotent: bool | None = None,
        conditional: bool | None = None,
        transaction: bool = True,
        before: Callable[[Call], None] | None = None,
        max_body: int = MAX_BODY,
        errors: Sequence[int] = (),
        deprecated: Deprecation | None = None,
        glance: Glance | None = None,
    ) -> Callable[[F], F]:
        """Name an operation (`operationId`) and say what it needs beside its arguments.

        scope: what the caller's token must carry; None: everybody may, ANY_TOKEN: all with a token.
        idempotent: whether `Idempotency-Key` counts, with which the answer is kept in the same
            transaction; by default on every POST that has one.
        conditional: whether `If-Match` is required; by default on PUT, PATCH and DELETE.
        transaction: False for work that must not hold one open (`call.session` is then absent).
        before: a check that calls out or counts, made when all is parsed and before the transaction
            begins.
        errors: statuses that it may answer with beside those that follow from the declaration.
        deprecated: since when, and until when, an operation that will go is still there.
        glance: `(session, actor, **path)` gives, in `.tag`, the version of a GET's answer: who
            has it gets a 304 before the view is asked (http/known.py).
        """
        said = {
            "name": name,
            "scope": scope,
            "idempotent": idempotent,
            "conditional": conditional,
            "transaction": transaction,
            "before": before,
            "max_body": max_body,
            "errors": errors,
            "deprecated": deprecated,
            "glance": glance,
        }
        return _noting(said)

    def arguments(
        self,
        schema: SchemaLike,
        *,
        location: str = "json",
        required: bool = True,
        **documentation: Any,
    ) -> Callable[[F], F]:
        """The schema of the body (`call.body`) or, with location="query", of `call.query`.

        required=False: no body counts as an empty object.
        """
        instance = schema() if isinstance(schema, type) else schema
        said = {"body": instance, "body_required": required}
        note = _noting({"query": instance} if location == "query" else said)
        document = super().arguments(
            instance, location=location, required=required, **documentation
        )
        return lambda view: note(_documented(view, document))

    def response(
        self,
        status_code: int,
        schema: SchemaLike | None = None,
        *,
        content_type: str = JSON,
        location: str | None = None,
        stream: str | None = None,
        **documentation: Any,
    ) -> Callable[[F], F]:
        """The status and schema of the answer. `location`: path of what was made, `{id}` filled in;
        without it, the request's path + `/id`. `stream`: the type of its other form.
        """
        instance = schema() if isinstance(schema, type) else schema
        answering = Answering(
            status=status_code,
            schema=instance,
            content_type=content_type,
            location=location,
            stream=stream,
        )
        note = _noting({"answering": answering})
        document = super().response(
            status_code, instance, content_type=content_type, **documentation
        )
        return lambda view: note(_documented(view, document))

    def page(
        self,
        schema: SchemaLike,
        filters: type[Schema] | None = None,
        *,
        stream: str | None = None,
        partial: bool = False,
    ) -> Callable[[F], F]:
        """A list in pages: the view returns a `Page`, `call.query` has `after`, `limit` and the
        filters. `stream`: the type of its other form (http/streaming.py). `partial`: clients may
        choose the members that they want, by `fields`.
        """
        instance = schema() if isinstance(schema, type) else schema
        query = paged_query(filters, instance if partial else None)
        arguments = self.arguments(query, location="query")
        answering = Answering(status=200, schema=instance, stream=stream, partial=partial)
        note = _noting({"answering": answering})
        document = super().response(200, paged_schema(instance), content_type=JSON)
        return lambda view: arguments(note(_documented(view, document)))

    def add_url_rule(
        self, rule: str, endpoint: str | None = None, view_func: Any = None, **options: Any
    ) -> None:
        """Put a resource's operations together, then let flask-smorest route and document it."""
        if isinstance(view_func, type) and issubclass(view_func, MethodView):
            for method in view_func.methods or ():
                view = getattr(view_func, method.lower())
                operation = _operation(method, view)
                setattr(view_func, method.lower(), _assembled(operation, view, rule))
                if operation.glance is not None:
                    name = f"{self.name}.{endpoint or view_func.__name__}"
                    self.glanced.append((rule, name, operation))
        options["parameters"] = documented.path_parameters(rule)
        super().add_url_rule(rule, endpoint, view_func, **options)


def _noting(said: dict[str, Any]) -> Callable[[F], F]:
    """A decorator that notes on a view what was said about it, and leaves it as it is."""

    def decorator(view: F) -> F:
        view.__dict__.setdefault("_said", {}).update(said)
        return view

    return decorator


def _documented(view: F, document: Callable[[Any], Any]) -> F:
    """Keep what flask-smorest's decorator documents, not the function that it makes."""
    view.__dict__["_apidoc"] = document(view)._apidoc
    return view


def _operation(method: str, view: Callable[..., Any]) -> Operation:
    said = dict(view.__dict__["_said"])
    if said["idempotent"] is None:
        said["idempotent"] = method == "POST" and said["transaction"]
    if said["conditional"] is None:
        said["conditional"] = method in ("PUT", "PATCH", "DELETE")
    return Operation(**said, writes=method != "GET")


def _assembled(
    operation: Operation, view: Callable[..., Any], rule: str
) -> Callable[..., Response]:
    @wraps(view)
    def answer(self: MethodView, **path: Any) -> Response:
        return operation.answer(lambda call, **found: view(self, call, **found), path)

    documented.complete(answer.__dict__["_apidoc"], operation, rule)
    return answer
