"""The peers of another kind: FastAPI with Pydantic and the ORM, and FastAPI with ready JSON.

The first is a plain `def`, which FastAPI runs on a thread, as its guide has it for blocking
databases; the second, which is after speed alone, an `async def` that blocks.
"""

from __future__ import annotations

import os
from typing import Annotated, Any

import orjson
from fastapi import Depends, FastAPI, Response
from marshmallow import Schema, fields
from pydantic import BaseModel, create_model
from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from ...schemas.standings import StandingSchema
from .rows import FIRST_PAGE, FIRST_ROWS, as_dict, line

engine = create_engine(os.environ["DATABASE_URL"])
orm = FastAPI()
core = FastAPI()

_KINDS = (
    (fields.Integer, int),
    (fields.Boolean, bool),
    (fields.Float, float),
    (fields.String, str),
)


def model(schema: Schema) -> type[BaseModel]:
    """Pydantic's model of a marshmallow schema."""
    members: Any = {name: (_type(field), ...) for name, field in schema.dump_fields.items()}
    return create_model(type(schema).__name__, **members)


def _type(field: fields.Field[Any]) -> Any:
    kind: Any = next((made for known, made in _KINDS if isinstance(field, known)), None)
    if isinstance(field, fields.Nested):
        kind = model(field.schema)
    elif isinstance(field, fields.List):
        kind = list[_type(field.inner)]  # type: ignore[misc]
    elif isinstance(field, fields.Dict):
        kind = dict[str, _type(field.value_field)]  # type: ignore[misc,arg-type]
    return kind | None if field.allow_none else kind


def session() -> Any:
    """One for a request."""
    with Session(engine) as made:
        yield made


Standing = model(StandingSchema())


@orm.get("/tournaments/{tournament_id}/standings")
def standings(tournament_id: str, found: Annotated[Session, Depends(session)]) -> list[Standing]:  # type: ignore[valid-type]
    """Pydantic's models, which FastAPI serializes."""
    rows = found.execute(FIRST_PAGE, {"tournament_id": tournament_id})
    return [Standing(**as_dict(*row)) for row in rows]


@core.get("/tournaments/{tournament_id}/standings")
async def ready(tournament_id: str) -> Response:
    """Rows without the ORM, written by orjson, and sent as they are."""
    with engine.connect() as connection:
        found = connection.execute(FIRST_ROWS, {"tournament_id": tournament_id})
        rows = [line(*row) for row in found]
    return Response(orjson.dumps(rows), media_type="application/json")
