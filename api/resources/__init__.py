"""The operations of the HTTP API, one noun a file: decorators, then one to six lines.

`BLUEPRINTS` is the list that the factory registers; a new noun is a new line here.
"""

from . import (
    accounts,
    agents,
    appeals,
    archives,
    audit,
    calls,
    collusion,
    decisions,
    entries,
    events,
    matches,
    ratings,
    rounds,
    rule_sets,
    rulings,
    series,
    standings,
    tokens,
    tournaments,
    versions,
    webhooks,
)

BLUEPRINTS = (
    accounts.blp,
    tokens.blp,
    agents.blp,
    versions.blp,
    decisions.blp,
    rule_sets.blp,
    series.blp,
    tournaments.blp,
    entries.blp,
    rounds.blp,
    matches.blp,
    calls.blp,
    standings.blp,
    ratings.blp,
    rulings.blp,
    collusion.blp,
    appeals.blp,
    archives.blp,
    audit.blp,
    events.blp,
    webhooks.blp,
)
