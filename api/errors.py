"""What may go wrong, in one family: services raise these, one handler answers them.

The table `STATUS` is the only place that ties a kind of error to an HTTP status. `code` is for
programs and stays stable; `detail` is for people and names what was wrong and where.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar, NamedTuple


class FieldError(NamedTuple):
    """One wrong place: a JSON pointer into the body, or `?name` for a query argument."""

    pointer: str
    code: str
    detail: str


class DomainError(Exception):
    """Base of the family.

    `errors` lists the places that were wrong; `headers` are sent along with the answer.
    """

    code: ClassVar[str] = "error"
    title: ClassVar[str] = "The request failed"

    def __init__(
        self,
        detail: str,
        *,
        code: str | None = None,
        errors: Iterable[tuple[str, str, str]] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.problem_code = code or self.code
        self.errors = [FieldError(*error) for error in errors]
        self.headers = dict(headers or {})


class Malformed(DomainError):
    """The request cannot be read: not JSON, hostile JSON, a header of the wrong form."""

    code = "malformed"
    title = "The request cannot be read"


class Unauthorized(DomainError):
    """No token, or one that is unknown, expired or revoked."""

    code = "unauthorized"
    title = "A valid token is needed"

    def __init__(self, detail: str, *, code: str | None = None) -> None:
        error = ', error="invalid_token"' if code == "invalid_token" else ""
        challenge = f'Bearer realm="baohuang"{error}'
        super().__init__(detail, code=code, headers={"WWW-Authenticate": challenge})


class Forbidden(DomainError):
    """The caller is known and may see the thing, but not do this."""

    code = "forbidden"
    title = "Not allowed"


class NotFound(DomainError):
    """There is no such thing, or the caller may not know of it."""

    code = "not_found"
    title = "Not found"


class NotAcceptable(DomainError):
    """The client accepts none of the types that the operation can answer with."""

    code = "not_acceptable"
    title = "No acceptable answer"


class Conflict(DomainError):
    """The state of the thing refuses the request; `code` says which state or rule."""

    code = "conflict"
    title = "The present state refuses this"


class PreconditionFailed(DomainError):
    """`If-Match` names a version that is no longer the current one."""

    code = "version_mismatch"
    title = "Changed by someone else"


class PreconditionRequired(DomainError):
    """A change came without the version that it is based on."""

    code = "version_required"
    title = "If-Match is needed"


class TooSlow(DomainError):
    """The body did not arrive in time."""

    code = "body_too_slow"
    title = "The body came too slowly"


class TooLarge(DomainError):
    """The body is longer than the operation reads."""

    code = "too_large"
    title = "The body is too large"


class UnsupportedMediaType(DomainError):
    """The body is of a type that the operation does not read."""

    code = "unsupported_media_type"
    title = "Unsupported content type"


class Invalid(DomainError):
    """The request is readable but wrong: `errors` names every place."""

    code = "invalid"
    title = "The request is not valid"

    def __init__(
        self,
        errors: Iterable[tuple[str, str, str]],
        detail: str | None = None,
        *,
        code: str | None = None,
    ) -> None:
        listed = list(errors)
        super().__init__(detail or _summary(listed), code=code, errors=listed)


class TooMany(DomainError):
    """A limit is used up; `retry_after` is in seconds."""

    code = "too_many_requests"
    title = "Too many requests"

    def __init__(self, detail: str, retry_after: int, *, code: str | None = None) -> None:
        super().__init__(detail, code=code, headers={"Retry-After": str(retry_after)})


class Unavailable(DomainError):
    """The server has no room for this just now; `retry_after` is in seconds."""

    code = "unavailable"
    title = "No room just now"

    def __init__(self, detail: str, retry_after: int, *, code: str | None = None) -> None:
        super().__init__(detail, code=code, headers={"Retry-After": str(retry_after)})


STATUS: Mapping[type[DomainError], int] = {
    Malformed: 400,
    Unauthorized: 401,
    Forbidden: 403,
    NotFound: 404,
    NotAcceptable: 406,
    TooSlow: 408,
    Conflict: 409,
    PreconditionFailed: 412,
    TooLarge: 413,
    UnsupportedMediaType: 415,
    Invalid: 422,
    PreconditionRequired: 428,
    TooMany: 429,
    Unavailable: 503,
}


def status_of(error: DomainError) -> int:
    """The HTTP status of an error, by its nearest class in `STATUS`."""
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


def _summary(errors: list[tuple[str, str, str]]) -> str:
    pointer, _, detail = errors[0]
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{pointer or 'body'}: {detail}{more}"
