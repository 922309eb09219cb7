"""`baohuang agent calls`: what it says where the arena played on for an agent."""

from __future__ import annotations

from ..test_calls import failing, mine  # noqa: F401
from .test_agent import base, run  # noqa: F401


def test_a_gap_in_the_calls_is_told_with_its_reason(site, author, base, mine):  # noqa: F811
    body = {"rule_set": "lianzhong-simple", "seats": [{"agent_id": mine}], "deals": 2}
    made = author.post("/matches", json=body).get_json()["id"]
    asked = failing(site, made, lambda match: match.deal == 2 and match.log[-1][0] == 0)
    for arguments in (["calls", made], ["calls", made, "--faults"]):
        result = run(base, author, "agent", *arguments)
        assert result.exit_code == 0, result.output
        _, *lines = result.stdout.splitlines()
        said = "from here on the arena plays seat 0 to the end of the deal: it failed too often"
        assert lines.pop(4).strip() == said
        assert [int(line.split()[0]) for line in lines] == [call.seq for call in asked]
