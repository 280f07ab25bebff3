"""Small DQNs whose memories hold lines of moves that a test chose, played by the real code."""

from collections.abc import Mapping, Sequence

import chess
import numpy as np
from numpy.typing import NDArray

from selfmate.arena.self_play import Plan, play_games
from selfmate.data.experience import NO_ACTION, Episodes
from selfmate.learners.dqn import Dqn
from selfmate.learners.dqn_config import Config
from selfmate.nets.q_net import QNet
from selfmate.rules import Board
from unit.arena.scripted import Scripted

GAMMA = 0.9
MATE_IN_TWO = "7k/8/4K3/8/8/8/8/6R1 w - - 0 1"
MATING_LINE = ("e6f7", "h8h7", "g1h1")  # Black has no other move


def config_of(**changes: object) -> Config:
    settings: dict[str, object] = {
        "gamma": GAMMA,
        "hidden": (24, 16),
        "games": 1,
        "max_plies": 60,
        "replay": 500,
        "learning_starts": 1,
        "batch": 64,
        "share_high": 0.0,
        "share_recent": 0.0,
        "advice_depth": 0,
        "imitation_weight": 0.0,
        "imitation_weight_end": 0.0,
    }
    return Config.model_validate(settings | changes)


def line(fen: str, moves: Sequence[str], advice_depth: int = 0) -> Episodes:
    """A game of these moves, which is cut after them unless it is over."""
    to_play = iter(moves)
    player = Scripted("script", lambda board, dice: next(to_play))
    plan = Plan(
        boards=[Board(fen)],
        seats=np.zeros((1, 2), np.int64),
        epsilon=0,
        max_plies=len(moves),
        seed=1,
        gamma=GAMMA,
        advice_depth=advice_depth,
    )
    return play_games([player], plan)[0]


def dqn_with(page: Episodes, **changes: object) -> Dqn:
    dqn = Dqn(config_of(**changes))
    dqn.replay.add("games-00000001", page)
    return dqn


def say_everywhere(net: QNet, values: Mapping[int, float], otherwise: float) -> None:
    """Makes a net that says the same of an action in every position."""
    arrays = net.arrays()
    arrays["actions.weight"][...] = 0
    arrays["actions.bias"][...] = otherwise
    for action, value in values.items():
        arrays["actions.bias"][action] = value


def targets_of(dqn: Dqn, page: Episodes, cycle: int = 1) -> NDArray[np.float32]:
    """[P] What `Dqn.targets` says of every row of the memory's one page; NaN without an action."""
    _, moves = dqn.draw(np.random.default_rng(1))
    found = np.full(len(page), np.nan, np.float32)
    for state, target in zip(moves.states, dqn.targets(moves, cycle), strict=True):
        (row,) = np.flatnonzero((page.packed == state).all(axis=1))
        found[row] = target
    assert np.array_equal(np.isnan(found), page.actions == NO_ACTION), "draw more"
    return found


def action(uci: str, *, turned: bool = False) -> int:
    """The index of a move, seen by White or, turned, by Black."""
    move = chess.Move.from_uci(uci)
    squares = (move.from_square, move.to_square)
    start, end = (chess.square_mirror(square) if turned else square for square in squares)
    return 64 * start + end
