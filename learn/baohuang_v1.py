"""The environment under a PettingZoo name: `baohuang_v1.env(rules="wuren", deals=10)`.

The number rises when the same seed and answers give other observations, masks or rewards.
"""

from .env import env, raw_env

__all__ = ["env", "raw_env"]
