"""The bare loops of `baohuang bench remote`: each really posts; and tables beside hostile ones."""

import asyncio

import pytest

from baohuang.api.bench import clients, company, hostile, remote
from baohuang.api.bench.loopback import loopback_agents
from baohuang.api.bench.misdeeds import json_body
from baohuang.api.bench.scripted import serving
from baohuang.engine.rules import rule_set

ENOUGH = 20


@pytest.fixture(scope="module")
def urls():
    with loopback_agents() as urls:
        yield urls


class Enough(Exception):
    """Ends a loop."""


@pytest.mark.parametrize(
    "peer", [peer for peer in clients.PEERS if peer.installed], ids=lambda peer: peer.name
)
def test_a_peer_posts_bodies_of_a_match_at_several_tables(urls, peer):
    seen = []

    def counted():
        seen.append(1)
        if len(seen) >= ENOUGH:
            raise Enough

    bodies = remote.recorded_bodies(rule_set("lianzhong-simple"), 10)
    with pytest.raises(Enough):
        asyncio.run(asyncio.wait_for(peer.run(urls, bodies, 3, counted), 20))
    assert len(seen) >= ENOUGH


def test_our_match_is_measured_beside_our_client_alone():
    (found,) = remote.measure((2,), seconds=0.2, rounds=1, peers=clients.PEERS[:1])
    assert (found.tables, found.faults) == (2, 0)
    assert found.ours.per_second > 0
    assert found.theirs.per_second > 0


def test_the_hostile_report_has_every_promised_figure():
    lines = list(hostile.hostile_report(seconds=0.3, rounds=1))
    assert lines[0].startswith(f"{len(hostile.BEHAVIOURS)} hostile behaviours")
    assert [line.split()[0] for line in lines[1:]] == [
        "latest", "memory", "A", "one", "one", "one", "25", "25", "p99", "latest", "tables",
    ]  # fmt: skip
    assert lines[-1].endswith(": 0")


def test_tables_of_a_company_are_watched_where_it_says_so_and_hostile_where_it_says_so(urls):
    """Alone no fault and every call watched; a hostile table has faults alone, and raises none."""

    async def measured(*tables):
        async with serving(json_body(b"{}")) as hostile:
            return await company.measured(company.Company("", tables), urls, [hostile], 0.5)

    alone = asyncio.run(measured("whhhh"))
    assert (alone.faults, alone.raised) == (0, 0)
    assert alone.calls > 0
    assert 0 < alone.p50 <= alone.p99
    beside = asyncio.run(measured("xxxxx"))
    assert (beside.calls, beside.raised) == (0, 0)
    assert beside.faults > 0
