"""The tables, one noun a file. Models know columns and relations, not JSON and not rules."""

from .accounts import Account, Role, Token
from .agents import (
    Agent,
    AgentKind,
    AgentNotice,
    AgentStatus,
    AgentVersion,
    NoticeKind,
    PausedBy,
    ShadowCall,
    VersionStatus,
)
from .appeals import Appeal, AppealStatus
from .audit import AuditHead, AuditRow
from .base import Base, new_id, utc_now
from .entries import Entry, EntryStatus
from .events import Event, EventView, Journal
from .limits import RateWindow
from .logins import Login
from .matches import UNFINISHED, Decision, Fault, FurtherCall, Match, MatchStatus, Result
from .once import Firing, IdempotencyKey
from .practices import Practice, PracticeSeat
from .questions import Door, Question, QuestionKind, QuestionStatus
from .ratings import RatedTournament, Rating, RatingPool
from .rounds import Round, RoundStatus, Seat, Table
from .rule_sets import CustomRuleSet
from .rulings import Ruling, RulingKind
from .series import Series, SeriesStatus
from .standings import FrozenStanding, Interval, Standing
from .tournaments import Advance, Ending, NoShow, Overdue, Scoring, Tournament, TournamentStatus
from .webhooks import Delivery, DeliveryStatus, Webhook, WebhookPosition, WebhookStatus

__all__ = [
    "UNFINISHED",
    "Account",
    "Advance",
    "Agent",
    "AgentKind",
    "AgentNotice",
    "AgentStatus",
    "AgentVersion",
    "Appeal",
    "AppealStatus",
    "AuditHead",
    "AuditRow",
    "Base",
    "CustomRuleSet",
    "Decision",
    "Delivery",
    "DeliveryStatus",
    "Door",
    "Ending",
    "Entry",
    "EntryStatus",
    "Event",
    "EventView",
    "Fault",
    "Firing",
    "FrozenStanding",
    "FurtherCall",
    "IdempotencyKey",
    "Interval",
    "Journal",
    "Login",
    "Match",
    "MatchStatus",
    "NoShow",
    "NoticeKind",
    "Overdue",
    "PausedBy",
    "Practice",
    "PracticeSeat",
    "Question",
    "QuestionKind",
    "QuestionStatus",
    "RateWindow",
    "RatedTournament",
    "Rating",
    "RatingPool",
    "Result",
    "Role",
    "Round",
    "RoundStatus",
    "Ruling",
    "RulingKind",
    "Scoring",
    "Seat",
    "Series",
    "SeriesStatus",
    "ShadowCall",
    "Standing",
    "Table",
    "Token",
    "Tournament",
    "TournamentStatus",
    "VersionStatus",
    "Webhook",
    "WebhookPosition",
    "WebhookStatus",
    "new_id",
    "utc_now",
]
