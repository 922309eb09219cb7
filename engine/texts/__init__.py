"""Rule sets in words, English and Chinese, made from the options: no page that can go stale."""

from .options import OptionText, describe
from .rules import LANGUAGES, rules_text

__all__ = ["LANGUAGES", "OptionText", "describe", "rules_text"]
