"""A ladder: no end, neighbours in the ranking meet, and a few lucky deals do not lead it.

The ranking is points for each deal, drawn towards 0 as if everybody had played `shrink` more deals
at 0: a mean over n deals counts n / (n + shrink). Measured on simulated fields, about 150 deals
tell as much about skill as is known before (half signal, half luck). Who has played fewer than
`least_deals` stands below who has played more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from . import luck
from .filling import BOARDS, FILL, MOST_ROUNDS
from .scheme import (
    Decision,
    Finished,
    NeedsAttention,
    Option,
    Options,
    Progress,
    Seated,
    State,
    parse_options,
)
from .seating import SeatingError
from .swiss import draw, playing

MOST = 1_000_000


@dataclass(frozen=True)
class Ladder:
    """Rounds as long as anybody plays, or for a season."""

    name: str = "ladder"
    most_entries: int | None = None
    known: tuple[Option, ...] = (
        Option("rounds", "open", "rounds of a season, or no end", 1, MOST, ("open",)),
        FILL,
        Option("avoid", 5, "rounds in which nobody is met again where possible", 0, MOST_ROUNDS),
        Option("shrink", 150, "deals at 0 that everybody is given", 0, MOST),
        Option("least_deals", 0, "deals before an entry is ranked with the others", 0, MOST),
        *BOARDS,
    )

    def options(self, raw: Mapping[str, object]) -> Options:
        return parse_options(self.known, raw)

    def rounds_total(self, options: Options, entries: int) -> int | None:
        rounds = options["rounds"]
        return rounds if isinstance(rounds, int) else None

    def next_round(self, state: State) -> Decision:
        total = self.rounds_total(state.options, 0)
        if total is not None and state.number > total:
            return Finished(f"all {total} rounds are played")
        if not state.active(state.number):
            return Finished("nobody is left")
        lots = state.lots(state.number)
        try:
            order = playing(state)
            lots.shuffle(order)
            score = self.progress(state)
            order.sort(key=lambda x: score.get(x, (0, Fraction(0))), reverse=True)
            return Seated(draw(state, order, lots, memory=int(state.options["avoid"])))
        except SeatingError as error:
            return NeedsAttention(str(error))

    def progress(self, state: State) -> Progress:
        """(1 with enough deals, points a deal as shrunk, by the tournament's scoring).

        Who has played nothing, and has no points by rulings that stand, is as if there were none.
        """
        shrink, least = int(state.options["shrink"]), int(state.options["least_deals"])
        points: dict[str, int | Fraction] = {}
        deals: dict[str, int] = {}
        for r in luck.counted(state):
            points[r.entry] = points.get(r.entry, 0) + luck.made(state, r)
            deals[r.entry] = deals.get(r.entry, 0) + r.deals
        for ruled in state.ruled:
            points[ruled.entry] = points.get(ruled.entry, 0) + ruled.points
        return {
            x: (int(deals.get(x, 0) >= least), Fraction(p, max(deals.get(x, 0) + shrink, 1)))
            for x, p in points.items()
            if p or deals.get(x, 0)
        }


LADDER = Ladder()
