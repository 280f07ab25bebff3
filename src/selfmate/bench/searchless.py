"""The transformer that plays without search: self-play beside its bare net, and how it learns."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from selfmate.arena.attempted_play import Plan, play_games
from selfmate.arena.starts import Starts
from selfmate.bench import Figures
from selfmate.bench.measure import median_ratio, rates_by_round
from selfmate.data.attempted_games import AttemptedGames
from selfmate.encodings import encode
from selfmate.learners.searchless_config import Config
from selfmate.learners.searchless_lesson import Lesson, take_gradient
from selfmate.learners.searchless_targets import Scores, even_targets
from selfmate.nets.crew import Crew
from selfmate.nets.descent import Descent
from selfmate.nets.threads import one_thread
from selfmate.nets.transformer import Transformer
from selfmate.rules.cores import available_cores

ROUNDS = 7
GAMES = 96
AT_ONCE = 32
PLIES = 60  # of a game, at most: they end at different times, as in training
ANSWERED = 8  # batches
LEARNED = 192  # positions of an update

Tokens = NDArray[np.uint8]  # [B, 78]


def run(rounds: int = ROUNDS) -> Figures:
    """On one thread, then learning on all cores as well."""
    net, cores = Config.model_validate({}).spec().make_net(), available_cores()
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


def plan() -> Plan:
    return Plan(
        boards=Starts(openings=True, endgames=0.0).boards(GAMES, np.random.default_rng(1)),
        at_once=AT_ONCE,
        temperature=1.0,
        attempts=8,
        max_plies=PLIES,
        seed=1,
    )


def self_play(net: Transformer) -> AttemptedGames:
    """The same games every time."""
    return play_games(net, plan(), 1)[0]


def encode_starts() -> Tokens:
    boards = plan().boards[:AT_ONCE]
    tokens: Tokens = encode("tokens78", boards)
    return tokens


def answer(net: Transformer, tokens: Tokens) -> float:
    """In batches of the size that self-play has."""
    for _ in range(ANSWERED):
        net.logits(tokens)
    return float(ANSWERED * len(tokens))


def learn(net: Transformer, games: AttemptedGames, threads: int) -> float:
    """The gradient of an update."""
    rows = np.arange(LEARNED) % len(games)
    lesson = Lesson(games.take(rows), partial(even_targets, scores=Scores()))
    with one_thread():
        take_gradient([lesson], net, Descent.adam(net, most_norm=1.0), Crew(threads))
    return LEARNED
