"""The table that `baohuang bench` prints for the engine."""

from __future__ import annotations

from collections.abc import Iterator

from baohuang.engine import PRESETS

from . import engine, peers
from .rounds import Figures, Work, in_rounds

GOALS = {
    "RLCard dou dizhu, step": ("play", 100.0),
    "RLCard dou dizhu, core": ("play", 40.0),
    "OpenSpiel dou dizhu, play only": ("play", 1.0),
    "OpenSpiel dou dizhu, whole deals": ("whole", 2.0),
}
"""peer -> which of our figures it is compared with, and the ratio to reach."""


def engine_report(rounds: int, deals: int, jobs: int) -> Iterator[str]:
    """Lines of the report, as they become known."""
    deal_sets = {name: engine.RandomDeals(rules, deals) for name, rules in PRESETS.items()}
    works: dict[str, Work] = peers.available()
    for name, random_deals in deal_sets.items():
        works[f"{name}: play"] = random_deals.play_only()
        works[f"{name}: whole"] = random_deals.whole
        works[f"{name}: views"] = random_deals.with_views
        works[f"{name}: referee"] = random_deals.matches
    works["lead"] = engine.lead_of_44()
    figures = in_rounds(works, rounds)
    yield from _ours(deal_sets, figures)
    yield from _beside_peers(figures)
    yield f"Leads of 44 cards (924 plays): {figures['lead'].median:.1f} µs"
    fastest = min(figures[f"{name}: play"].median for name in PRESETS)
    slowest = max(figures[f"{name}: play"].median for name in PRESETS)
    yield f"Slowest preset beside the fastest, play: {slowest / fastest:.2f} (goal: below 1.5)"
    grown = engine.memory_of("wuren", 1_000_000)
    yield f"A million positions of wuren: {grown:.0f} MiB of kept lists"
    if jobs > 1:
        times = engine.scaling("lianzhong-simple", jobs)
        yield f"{jobs} processes beside one: {times:.2f} times the deals"


def _ours(deal_sets: dict[str, engine.RandomDeals], figures: dict[str, Figures]) -> Iterator[str]:
    yield "Random agents, µs of processor time a decision (forced decisions counted):"
    yield f"{'':18}{'play':>8}{'whole':>8}{'+views':>8}{'referee':>9}{'forced':>8}{'deals/s':>9}"
    for name, random_deals in deal_sets.items():
        play, whole, views, referee = (
            figures[f"{name}: {what}"].median for what in ("play", "whole", "views", "referee")
        )
        share = random_deals.share
        per_deal = share.decisions / (random_deals.deals * (len(figures["lead"].rounds) + 1))
        yield (
            f"{name:18}{play:8.2f}{whole:8.2f}{views / whole - 1:+8.0%}{referee / whole - 1:+9.0%}"
            f"{share.forced:8.0%}{1e6 / whole / per_deal:9.0f}"
        )


def _beside_peers(figures: dict[str, Figures]) -> Iterator[str]:
    found = [name for name in figures if ":" not in name and name != "lead"]
    if not found:
        yield "No peer is installed; `make bench` installs them."
    for peer in found:
        what, goal = GOALS.get(peer, ("play", 0.0))
        ratios = [figures[f"{name}: {what}"].ratio(figures[peer]) for name in PRESETS]
        aim = f", goal {goal:g}" if goal else ""
        yield (
            f"{peer}: {figures[peer].median:.2f} µs; ours ({what}) is {min(ratios):.2f} to "
            f"{max(ratios):.2f} times as fast{aim}"
        )
