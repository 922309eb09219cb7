"""How every operation speaks HTTP: read strictly, answer alike. README.md tells the story.

Resources import `Blueprint`, `Call` and `ANY_TOKEN` from here, and nothing else.
"""

from ..auth import ANY_TOKEN
from .blueprint import Blueprint
from .call import Call
from .deprecation import Deprecation

__all__ = ["ANY_TOKEN", "Blueprint", "Call", "Deprecation"]
