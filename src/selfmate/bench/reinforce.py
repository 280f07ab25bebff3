"""REINFORCE: games played and learned from, beside python-chess and torch move by move."""

import numpy as np

from selfmate.bench import Figures
from selfmate.bench.measure import best_rates, ratio
from selfmate.bench.move_by_move import MoveByMove
from selfmate.learners.reinforce import Reinforce
from selfmate.learners.reinforce_config import Config
from selfmate.nets.threads import one_thread

ROUNDS = 5


def run(rounds: int = ROUNDS) -> Figures:
    """Both on one thread, with the same net and settings; of the slow one a round is a game."""
    config = Config.model_validate({})
    learner = Reinforce(config)
    slow = MoveByMove(learner.net, temperature=config.temperature_train, max_plies=config.max_plies)
    with one_thread():
        rates = best_rates(
            {
                "play": lambda: play(learner),
                "train": lambda: play(learner, and_learn=True),
                "move_by_move": lambda: slow_game(slow),
            },
            rounds,
        )
    return {
        "train_x_vs_move_by_move": ratio(rates["train"], rates["move_by_move"]),
        **{f"{name}_games_per_s": rate for name, rate in rates.items()},
    }


def play(learner: Reinforce, *, and_learn: bool = False) -> float:
    """The games of a click."""
    config, dice = learner.config, np.random.default_rng(1)
    boards = learner.starts.boards(config.games_per_click, dice)
    games = learner.play(learner.plan(boards, config.temperature_train, dice))
    if and_learn:
        learner.learn(games, 1, dice)
    return len(boards)


def slow_game(slow: MoveByMove) -> float:
    slow.play_and_learn()
    return 1
