"""A match as a PettingZoo environment: five agents that answer one after another (AEC)."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from baohuang.engine import Match, RuleSet, View, rule_set
from baohuang.engine.cards import SEATS

from .answers import answers
from .planes import encode, shape

MOST_CARDS = np.iinfo(np.int8).max
ILLEGAL_REWARD = -1.0

Observation = dict[str, Any]


def env(
    rules: RuleSet | str = "lianzhong-simple", deals: int = 1, render_mode: str | None = None
) -> AECEnv[str, Observation, int]:
    """`raw_env` in PettingZoo's usual wrappers.

    An answer that is not in the mask ends the match, with a reward of -1 to who gave it.
    """
    wrapped: AECEnv[str, Observation, int] = raw_env(rules, deals, render_mode)
    wrapped = wrappers.TerminateIllegalWrapper(wrapped, illegal_reward=ILLEGAL_REWARD)
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrapped)
    return wrappers.OrderEnforcingWrapper(wrapped)


class raw_env(AECEnv[str, Observation, int]):
    """A match of `deals` deals under `rules` (a preset's name or a `RuleSet`).

    Agents `seat_0` to `seat_4`. An action is the number of an answer (`answers(rules)`). An
    observation has `observation`, the view as `encode` writes it, and `action_mask`, all 0 while
    the agent is not asked. Rewards are the points of a deal, given to all five when it ends; they
    add up to 0. `reset(seed=…)` fixes all cards of the match; without a seed the next match of
    the last seed's stream is dealt. `step` raises IllegalAnswer (a ValueError) for an answer that
    is not legal, and ValueError for a number that is none.
    """

    metadata = {  # noqa: RUF012  # PettingZoo's own form
        "name": "baohuang_v1",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        rules: RuleSet | str = "lianzhong-simple",
        deals: int = 1,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.rules = rule_set(rules) if isinstance(rules, str) else rules
        self.deals = deals
        self.render_mode = render_mode
        self.answers = answers(self.rules)
        self.possible_agents = [f"seat_{seat}" for seat in range(SEATS)]
        count = len(self.answers)
        seen: dict[str, spaces.Space[Any]] = {
            "observation": spaces.Box(0, MOST_CARDS, shape(self.rules), np.int8),
            "action_mask": spaces.Box(0, 1, (count,), np.int8),
        }
        self.observation_spaces = {agent: spaces.Dict(seen) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(count) for agent in self.possible_agents}
        self._random: np.random.Generator | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same for every agent, and for the whole match."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The same for every agent, and for the whole match."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new match. `options` has none that are known."""
        if seed is not None or self._random is None:
            self._random, _ = seeding.np_random(seed)
        self.match = Match(self.rules, self._random.bytes(32), self.deals)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self.match.seat]

    def observe(self, agent: str) -> Observation:
        """What an agent sees of the deal that is on, or of the last one."""
        view = View(self.match.state, self.possible_agents.index(agent))
        return {
            "observation": encode(self.rules, view),
            "action_mask": self.answers.mask(view["legal"]),
        }

    def step(self, action: int) -> None:
        """The selected agent answers; None from an agent whose match is over."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        before = self.match.totals
        self.match.answer(self.answers.text(int(action)))
        self._cumulative_rewards[agent] = 0.0
        for other, old, new in zip(self.agents, before, self.match.totals, strict=True):
            self.rewards[other] = float(new - old)
        self._accumulate_rewards()
        if self.match.over:
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self.agent_selection = self.possible_agents[self.match.seat]

    def render(self) -> str | None:
        """`ansi`: the open question and the five hands, a line each."""
        if self.render_mode != "ansi":
            return None
        state = self.match.state
        hands = [f"{seat}: {View(state, seat)['hand']}" for seat in range(SEATS)]
        head = f"deal {self.match.deal} of {self.deals}, {state.phase}, seat {state.seat}"
        return "\n".join([head, *hands])

    def close(self) -> None:
        """Nothing is held open."""
