"""The pages for people. They work without JavaScript; only live updating needs it.

`visit.py` says who looks and lets a page begin, `cookies.py` and `forms.py` keep strangers out,
`blueprint.py` has what all pages share; the others are pages.
"""

from . import agents, fairness, front, login, matches, rulings, seat, tokens, tournaments
from .blueprint import blp, register

__all__ = [
    "agents",
    "blp",
    "fairness",
    "front",
    "login",
    "matches",
    "register",
    "rulings",
    "seat",
    "tokens",
    "tournaments",
]
