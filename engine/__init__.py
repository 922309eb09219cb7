"""保皇 as values: rules, deals, referee, records, bots, tournaments. Standard library only.

What a bot's author needs, each with its own docstring; `docs/engine.md` shows it at work. Seats are
0 to 4 in playing order, cards and answers are text as in contract.md 1, scores are points.

- Rules (rules.md 8): `PRESETS` by name, `rule_set(preset, overrides)` -> `RuleSet`; `RuleSetError`
  names the option that is wrong.
- One deal (rules.md 3): `new_deal(rules, key, number)` -> `DealState`, which has `phase`, `seat`,
  `legal`, `apply(answer)`, `copy()`, `result`, `outcome()` -> `Outcome`; `IllegalAnswer` leaves a
  state as it was.
- What a seat sees (contract.md 4): `View(state, seat)`, a lazy mapping; `view_json(view)` -> dict.
- What it does not see: `sample_state(rules, view, lots)` -> a `DealState` that it could be in,
  `sample_hands(rules, view, lots)` -> only the five hands.
- Chance (contract.md 3): `Draw(key, ctx)`, the same on every machine; a bot gets one as `Lots`.
- Bots: `Bot` is `choose(view, lots) -> answer`; `BOTS` are the house's, by name;
  `play_match(rules, key, deals, bots)` plays five of them.
- Matches and records (contract.md 2): `Match(rules, key, deals)`, the referee, with `record()`;
  `verify(record)` raises `RecordError`; `replay(rules, deal)` -> the state at a deal's end.
"""

from .bots import BOTS, Bot, Lots
from .draw import Draw
from .match import Match
from .play import new_deal, play_match
from .record import RecordError, replay, verify
from .rules import PRESETS, RuleSet, RuleSetError, rule_set
from .sampling import sample_hands, sample_state
from .scoring import Outcome
from .state import DealState, IllegalAnswer
from .view import View, view_json

__all__ = [
    "BOTS",
    "PRESETS",
    "Bot",
    "DealState",
    "Draw",
    "IllegalAnswer",
    "Lots",
    "Match",
    "Outcome",
    "RecordError",
    "RuleSet",
    "RuleSetError",
    "View",
    "new_deal",
    "play_match",
    "replay",
    "rule_set",
    "sample_hands",
    "sample_state",
    "verify",
    "view_json",
]
