"""An operation that will go says so in its answers and in the specification."""

from datetime import date

import orjson
import pytest
from flask.views import MethodView

from baohuang.api.extensions import rest
from baohuang.api.http import Blueprint, Deprecation
from baohuang.api.resources import BLUEPRINTS
from baohuang.api.schemas.accounts import WhoAmI
from baohuang.api.services import accounts

from ..conftest import build

OLD = Deprecation(date(2027, 1, 1), date(2027, 7, 1), "/docs/moved")
HEADERS = {"Deprecation": "@1798761600", "Sunset": "Thu, 01 Jul 2027 00:00:00 GMT"}

blp = Blueprint("old", description="What will go.")


@blp.route("/old")
class Old(MethodView):
    @blp.operation("get_old", scope="agents:read", deprecated=OLD)
    @blp.response(200, WhoAmI)
    def get(self, call):
        """Show the old thing

        It will go.
        """
        return accounts.who(call.actor)


@pytest.fixture
def site(sqlite_arena, monkeypatch):
    monkeypatch.setattr("baohuang.api.app.BLUEPRINTS", (*BLUEPRINTS, blp))
    site = build(sqlite_arena)
    yield site
    site.arena.database.dispose()


def test_every_answer_says_since_when_and_until_when(site):
    author = site.caller("Ada")
    for answer in (author.get("/old"), author.get("/old?x=1"), site.stranger().get("/old")):
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
        assert answer.headers["Link"] == '</docs/moved>; rel="deprecation"'


def test_others_say_nothing(site):
    answer = site.caller("Ada").get("/accounts/me")
    assert not {"Deprecation", "Sunset", "Link"} & set(answer.headers.keys())


def test_the_specification_says_it(site):
    paths = orjson.loads(rest.document)["paths"]
    old, present = paths["/api/v1/old"]["get"], paths["/api/v1/accounts/me"]["get"]
    assert old["deprecated"] is True
    assert set(HEADERS) <= set(old["responses"]["200"]["headers"])
    assert "deprecated" not in present


def test_nothing_ends_before_it_is_deprecated():
    with pytest.raises(ValueError, match="sunset"):
        Deprecation(date(2027, 7, 1), date(2027, 7, 1))
