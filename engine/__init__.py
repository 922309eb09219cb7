"""保皇 as values: rules, deals, referee, records, bots, tournaments. Standard library only.

For bot authors:

- `PRESETS`, `rule_set(preset, overrides)` -> `RuleSet`: the rules as options (rules.md 8).
- `new_deal(rules, key, number=1)` -> `DealState`: `seat`, `legal`, `apply(answer)`, `copy()`,
  `result`, `outcome()`.
- `View(state, seat)`: what a seat may see, a lazy mapping as in the bot protocol.
- `Match(rules, key, deals)`: the referee of a whole match, with `record()`.
- `verify(record)`: check a record; raises `RecordError`.
- `BOTS`: the house bots by name; `Draw(key, ctx)`: provable randomness.
"""

from .bots import BOTS, Bot
from .draw import Draw
from .match import Match
from .play import new_deal
from .record import RecordError, replay, verify
from .rules import PRESETS, RuleSet, RuleSetError, rule_set
from .scoring import Outcome
from .state import DealState, IllegalAnswer
from .view import View

__all__ = [
    "BOTS",
    "PRESETS",
    "Bot",
    "DealState",
    "Draw",
    "IllegalAnswer",
    "Match",
    "Outcome",
    "RecordError",
    "RuleSet",
    "RuleSetError",
    "View",
    "new_deal",
    "replay",
    "rule_set",
    "verify",
]
