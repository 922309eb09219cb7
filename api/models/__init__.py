"""The tables, one noun a file. Models know columns and relations, not JSON and not rules."""

from .accounts import Account, Role, Token
from .agents import Agent, AgentStatus
from .base import Base, new_id, utc_now
from .matches import Decision, Fault, Match, MatchStatus, Result
from .once import Firing, IdempotencyKey
from .rounds import Round, RoundStatus, Seat, Table
from .rule_sets import CustomRuleSet
from .standings import Standing
from .tournaments import Entry, EntryStatus, Tournament, TournamentStatus

__all__ = [
    "Account",
    "Agent",
    "AgentStatus",
    "Base",
    "CustomRuleSet",
    "Decision",
    "Entry",
    "EntryStatus",
    "Fault",
    "Firing",
    "IdempotencyKey",
    "Match",
    "MatchStatus",
    "Result",
    "Role",
    "Round",
    "RoundStatus",
    "Seat",
    "Standing",
    "Table",
    "Token",
    "Tournament",
    "TournamentStatus",
    "new_id",
    "utc_now",
]
