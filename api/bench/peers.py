"""Card engines that Python people use, driven by random agents. Only what is installed is measured.

`make bench` installs them into an environment of their own.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from .rounds import Work


def available() -> dict[str, Work]:
    """The peers that are installed, by what is measured of them."""
    peers: dict[str, Work] = {}
    if find_spec("pyspiel"):
        peers["OpenSpiel dou dizhu, whole deals"] = _openspiel_whole
        peers["OpenSpiel dou dizhu, play only"] = _openspiel_play()
    if find_spec("rlcard"):
        peers["RLCard dou dizhu, step"] = _rlcard_step()
        peers["RLCard dou dizhu, core"] = _rlcard_core()
    if find_spec("chess"):
        peers["python-chess"] = _chess
    if find_spec("pokerkit"):
        peers["PokerKit, 6 players"] = _pokerkit
    return peers


def _openspiel_state(pick: Callable[[], float]) -> Any:
    state = import_module("pyspiel").load_game("dou_dizhu").new_initial_state()
    while state.is_chance_node():
        outcomes = state.chance_outcomes()
        state.apply_action(outcomes[int(pick() * len(outcomes))][0])
    return state


def _openspiel_finish(state: Any, pick: Callable[[], float]) -> int:
    done = 0
    while not state.is_terminal():
        actions = state.legal_actions()
        state.apply_action(actions[int(pick() * len(actions))])
        done += 1
    return done


def _openspiel_whole() -> int:
    pick = random.Random(1).random
    return sum(_openspiel_finish(_openspiel_state(pick), pick) for _ in range(150))


def _openspiel_play() -> Work:
    """From the first lead on: dealing and auction are done beforehand."""
    pick = random.Random(2).random
    dealt = [_openspiel_auctioned(_openspiel_state(pick), pick) for _ in range(300)]
    states = [state for state in dealt if not state.is_terminal()]

    def work() -> int:
        return sum(_openspiel_finish(state.clone(), pick) for state in states)

    return work


def _openspiel_auctioned(state: Any, pick: Callable[[], float]) -> Any:
    """In the auction at most four actions are legal, numbered from the game's bidding base."""
    passes = state.legal_actions()[0]
    while not state.is_terminal() and passes in state.legal_actions():
        actions = state.legal_actions()
        state.apply_action(actions[int(pick() * len(actions))])
        while state.is_chance_node():
            outcomes = state.chance_outcomes()
            state.apply_action(outcomes[int(pick() * len(outcomes))][0])
        if len(actions) == 1:
            break
    return state


def _rlcard_step() -> Work:
    env = import_module("rlcard").make("doudizhu", config={"seed": 1})
    pick = random.Random(3).random

    def work() -> int:
        done = 0
        for _ in range(4):
            state, _ = env.reset()
            while not env.is_over():
                actions = list(state["legal_actions"])
                state, _ = env.step(actions[int(pick() * len(actions))])
                done += 1
        return done

    return work


def _rlcard_core() -> Work:
    """Its game object alone, without the observation arrays."""
    env = import_module("rlcard").make("doudizhu", config={"seed": 1})
    pick = random.Random(4).random

    def work() -> int:
        done = 0
        for _ in range(6):
            state, _ = env.game.init_game()
            while not env.game.is_over():
                actions = state["actions"]
                state, _ = env.game.step(actions[int(pick() * len(actions))])
                done += 1
        return done

    return work


def _chess() -> int:
    board = import_module("chess").Board()
    pick = random.Random(5).random
    done = 0
    while not board.is_game_over() and done < 300:
        moves = list(board.legal_moves)
        board.push(moves[int(pick() * len(moves))])
        done += 1
    return done


def _pokerkit() -> int:
    kit = import_module("pokerkit")
    steps = kit.Automation
    automations = tuple(steps)
    done = 0
    for _ in range(8):
        state = kit.NoLimitTexasHoldem.create_state(automations, True, 0, (1, 2), 2, (200,) * 6, 6)
        while state.status:
            state.check_or_call()
            done += 1
    return done
