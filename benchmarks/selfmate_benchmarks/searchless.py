"""The transformer that plays without search: self-play beside the bare net, and learning."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from selfmate.data.trajectories import AttemptTrajectories
from selfmate.encodings import encode
from selfmate.learners.searchless.config import Config
from selfmate.learners.searchless.targets import (
    PolicyLoss,
    TargetScores,
    compute_gradient,
    uniform_targets,
)
from selfmate.nets.config import TransformerConfig
from selfmate.nets.evaluator import TransformerEvaluator
from selfmate.nets.optim import GradientWorkers, Optimizer, one_thread
from selfmate.nets.transformer import Transformer
from selfmate.rules import available_cores
from selfmate.selfplay.games import GamePlan, Starts, play_games
from selfmate.selfplay.searchless import AttemptingActor, attempt_trajectories
from selfmate_benchmarks import Results, median_ratio, rates_by_round

ROUNDS = 7
GAMES = 96
PARALLEL_GAMES = 32
PLIES = 60  # maximum per game; games end at different times, as in training
ANSWERED = 8  # batches per go
LEARNED = 192  # positions per update

Tokens = NDArray[np.uint8]  # [B, 78]


def run(rounds: int = ROUNDS) -> Results:
    """All on one thread; learning on all cores as well."""
    net, cores = TransformerConfig.of(Config.model_validate({})).make_net(), available_cores()
    games = self_play(net)
    rates = rates_by_round(
        {
            "bare_net": partial(answer, net, encode_starts()),
            "self_play": lambda: float(len(self_play(net))),
            "learn": partial(learn, net, games, 1),
            "learn_all_cores": partial(learn, net, games, cores),
        },
        rounds,
    )
    return {
        "self_play_x_vs_bare_net": median_ratio(rates["self_play"], rates["bare_net"]),
        **{f"{name}_positions_per_s": float(np.median(of)) for name, of in rates.items()},
    }


def plan() -> GamePlan:
    starts = Starts(openings=True, endgame_fraction=0.0)
    return GamePlan(
        boards=starts.boards(GAMES, np.random.default_rng(1)),
        max_plies=PLIES,
        seed=1,
        parallel_games=PARALLEL_GAMES,
    )


def self_play(net: Transformer) -> AttemptTrajectories:
    """The same games every time."""
    evaluator, games = TransformerEvaluator(net), plan()
    actor = AttemptingActor(net=evaluator, temperature=1.0, max_attempts=8)
    return attempt_trajectories(play_games([actor], games), games.boards)


def encode_starts() -> Tokens:
    boards = plan().boards[:PARALLEL_GAMES]
    tokens: Tokens = encode("tokens78", boards)
    return tokens


def answer(net: Transformer, tokens: Tokens) -> float:
    """Logits, in batches of the size of self-play."""
    evaluator = TransformerEvaluator(net)
    for _ in range(ANSWERED):
        evaluator.logits(tokens)
    return float(ANSWERED * len(tokens))


def learn(net: Transformer, games: AttemptTrajectories, threads: int) -> float:
    """The gradient of an update."""
    rows = np.arange(LEARNED) % len(games)
    loss = PolicyLoss(games.take(rows), partial(uniform_targets, scores=TargetScores()))
    with one_thread():
        compute_gradient(
            [loss], net, Optimizer.adam(net, max_grad_norm=1.0), GradientWorkers(threads)
        )
    return LEARNED
