"""Small DQNs whose replay holds lines of moves chosen by a test, played by the real code."""

from collections.abc import Mapping, Sequence

import chess
import numpy as np
from numpy.typing import NDArray

from selfmate.data.transitions import NO_ACTION, Episodes
from selfmate.learners.dqn.config import Config
from selfmate.learners.dqn.learner import Dqn
from selfmate.nets.q_net import QNet
from selfmate.rules import Board
from selfmate.selfplay.dqn import EpsilonGreedyActor, episodes_of
from selfmate.selfplay.games import GamePlan, play_games
from unit.arena.scripted import Scripted

GAMMA = 0.9
MATE_IN_TWO = "7k/8/4K3/8/8/8/8/6R1 w - - 0 1"
MATING_LINE = ("e6f7", "h8h7", "g1h1")  # Black has no other move


def config_of(**changes: object) -> Config:
    settings: dict[str, object] = {
        "gamma": GAMMA,
        "hidden": (24, 16),
        "dueling": False,  # so that tests can set the values of actions
        "move_kinds": False,
        "games": 1,
        "max_plies": 60,
        "replay_size": 500,
        "learning_starts": 1,
        "batch_size": 64,
        "high_quality_fraction": 0.0,
        "recent_fraction": 0.0,
        "teacher_depth": 0,
        "imitation_weight": 0.0,
        "imitation_weight_end": 0.0,
    }
    return Config.model_validate(settings | changes)


def line(fen: str, moves: Sequence[str], teacher_depth: int = 0) -> Episodes:
    """A game of these moves, truncated after them unless it is over."""
    to_play = iter(moves)
    player = Scripted("script", lambda board, seeds: next(to_play))
    actor = EpsilonGreedyActor(
        players=[player],
        seats=np.zeros((1, 2), np.int64),
        epsilon=0,
        teacher_depth=teacher_depth,
    )
    plan = GamePlan(boards=[Board(fen)], max_plies=len(moves), seed=1)
    return episodes_of(play_games([actor], plan), actor, GAMMA)


def dqn_with(page: Episodes, **changes: object) -> Dqn:
    dqn = Dqn(config_of(**changes))
    dqn.replay.add("games-00000001", page)
    return dqn


def set_everywhere(net: QNet, values: Mapping[int, float], otherwise: float) -> None:
    """Sets a net to give an action the same value in every position."""
    arrays = net.arrays()
    arrays["actions.weight"][...] = 0
    arrays["actions.bias"][...] = otherwise
    for action, value in values.items():
        arrays["actions.bias"][action] = value


def targets_of(dqn: Dqn, page: Episodes, cycle: int = 1) -> NDArray[np.float32]:
    """[P] `Dqn.targets` of every row of the replay's only shard; NaN without an action."""
    _, batch = dqn.sample(np.random.default_rng(1))
    found = np.full(len(page), np.nan, np.float32)
    for state, target in zip(batch.states, dqn.targets(batch, cycle), strict=True):
        (row,) = np.flatnonzero((page.packed == state).all(axis=1))
        found[row] = target
    assert np.array_equal(np.isnan(found), page.actions == NO_ACTION), "sample more"
    return found


def action(uci: str, *, flipped: bool = False) -> int:
    """The index of a move in White's view or, flipped, in Black's."""
    move = chess.Move.from_uci(uci)
    squares = (move.from_square, move.to_square)
    start, end = (chess.square_mirror(square) if flipped else square for square in squares)
    return 64 * start + end
