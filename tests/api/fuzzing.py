"""Requests that Schemathesis makes up from the specification, and what it checks of the answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import run_state_machine_as_test
from schemathesis import Case
from schemathesis.auths import AuthContext
from schemathesis.config import SchemathesisConfig
from schemathesis.generation import GenerationMode

from .conftest import Site
from .specification import Operation, operations

STEPS = 8
"""Requests of a walk."""

ENDLESS = "text/event-stream"
FINITE = [
    operation
    for operation in operations()
    if ENDLESS not in operation.success[1].get("content", ())
]


# What the schema allows may still be refused for what it cannot say: a cursor that we did not sign,
# a version that is gone, options that contradict each other. But never as unreadable.
EXPECTED = ["2xx", "304", "401", "403", "404", "409", "412", "422"]
CONFIG = SchemathesisConfig.from_dict(
    {
        "checks": {"positive_data_acceptance": {"expected-statuses": EXPECTED}},
        "generation": {"allow-x00": False},  # no text of ours holds NUL: test_bad_input.py
    }
)


def _bearer(token: str) -> type:
    """How Schemathesis is told who calls, so that it knows the token for a good one."""

    class Bearer:
        def get(self, _case: Case, _context: AuthContext) -> str:
            return token

        def set(self, case: Case, data: str, _context: AuthContext) -> None:
            case.headers["Authorization"] = f"Bearer {data}"

    return Bearer


class Fuzzer:
    """One for a site; `token` may do everything, `known` are values of path parameters."""

    def __init__(self, site: Site, token: str, known: dict[str, str]) -> None:
        whole = schemathesis.openapi.from_wsgi("/openapi.json", site.app, config=CONFIG)
        finite = {str(operation) for operation in FINITE}
        endless = [str(each) for each in operations() if str(each) not in finite]
        self._schema = whole.exclude(operation_id=endless)
        self._schema.auth()(_bearer(token))
        self._known = known

    def run(self, operation: Operation, examples: int, *, derandomize: bool) -> None:
        """Send `examples` requests: right ones, wrong ones, and right ones about what there is."""

        @settings(
            max_examples=examples,
            derandomize=derandomize,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(case=self._cases(operation))
        def check(case: Case) -> None:
            case.call_and_validate()

        check()

    def walk(self, walks: int, anew: Callable[[], None], *, derandomize: bool) -> None:
        """Follow links from answer to answer, `walks` times, and check every answer.

        anew: brings the server back to what it was, so that a walk can be taken again.
        """
        machine = type("Walk", (self._schema.as_state_machine(),), {"setup": lambda _self: anew()})
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=walks,
                stateful_step_count=STEPS,
                derandomize=derandomize,
                deadline=None,
                database=None,
                suppress_health_check=list(HealthCheck),
            ),
        )

    def _cases(self, operation: Operation) -> st.SearchStrategy[Case]:
        made: Any = self._schema[operation.path][operation.method]
        names = operation.parameters_in("path")
        kinds = [made.as_strategy(generation_mode=mode) for mode in GenerationMode]
        if names and names.keys() <= self._known.keys():
            known = {name: self._known[name] for name in names}
            kinds.append(made.as_strategy(path_parameters=known))
        return st.one_of(kinds)
