"""The operations of the HTTP API, one noun a file: decorators, then one to six lines.

`BLUEPRINTS` is the list that the factory registers; a new noun is a new line here.
"""

from . import entries, matches, rounds, standings, tokens, tournaments

BLUEPRINTS = (
    tokens.blp,
    tournaments.blp,
    entries.blp,
    rounds.blp,
    matches.blp,
    standings.blp,
)
