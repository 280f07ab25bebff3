"""AlphaZero's net: how fast it learns from master games, beside torch's convolutions, what loading
them takes, and how fast it plays itself."""

import tempfile
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np

from selfmate.arena.tree_self_play import Tally, play_games
from selfmate.bench import Figures
from selfmate.bench.measure import median_ratio, rates_by_round
from selfmate.bench.torch_net import with_torch_convolutions
from selfmate.data.chunk_stream import ChunkStream
from selfmate.data.chunks import ChunkFolder
from selfmate.data.examples import Examples, examples_of_games
from selfmate.data.game_filter import GameFilter
from selfmate.data.game_import import GameImport, ImportSettings
from selfmate.data.prefetch import prefetched
from selfmate.learners import alphazero_config, pretrain_alphazero_config
from selfmate.learners.alphazero import AlphaZero
from selfmate.learners.pretrain_alphazero import PREFETCHED, Pretraining, new_descent
from selfmate.nets.threads import one_thread
from selfmate.rules import random_games, write_pgn
from selfmate.rules.cores import available_cores
from selfmate.runs.stopwatch import Stopwatch

ROUNDS = 7
ROUNDS_ON_ALL_CORES = 2
GAMES = 250  # of random movers
MAX_PLIES = 120
BATCH = 256
UPDATES = 2  # on all cores, in one go
SAME = 1e-3  # as near as the losses of both nets must be
RATED = {"WhiteElo": "2600", "BlackElo": "2500"}
# Of self-play: what the preset `tiny` has, but for the games' number and length.
SELF_PLAY = {"at_once": 32, "simulations": 24, "gumbel_moves": 8, "max_plies": 2}


def run(rounds: int = ROUNDS) -> Figures:
    """All contestants in one run: first those on one thread, then those on all cores."""
    cores = available_cores()
    with tempfile.TemporaryDirectory() as folder:
        games = imported(Path(folder), GAMES)
        learner, plain = learners(games)
        examples = examples_of_games(next(learner.stream.batches(0, BATCH, BATCH)))
        check_same(learner, plain, examples)
        rates = rates_by_round(
            {
                "learn": partial(learn, learner, examples),
                "torch": partial(learn, plain, examples),
                "load": partial(load, games),
            },
            rounds,
        )
        self_player = new_self_player(cores)
        tally = self_play(self_player)
        rates |= rates_by_round(
            {
                "pretrain_all_cores": partial(pretrain, new_learner(games, cores), UPDATES),
                "self_play_all_cores": lambda: self_play(self_player).plies,
            },
            ROUNDS_ON_ALL_CORES,
        )
    return _figures(rates, tally)


def _figures(rates: dict[str, list[float]], tally: Tally) -> Figures:
    plies_per_s = median(rates.pop("self_play_all_cores"))
    return {
        "train_x_vs_torch": median_ratio(rates["learn"], rates["torch"]),
        "loading_share": median(
            learned / (learned + loaded)
            for learned, loaded in zip(rates["learn"], rates["load"], strict=True)
        ),
        **{f"{name}_positions_per_s": median(of_rounds) for name, of_rounds in rates.items()},
        "self_play_all_cores_plies_per_s": plies_per_s,
        "self_play_all_cores_evaluations_per_s": plies_per_s * tally.evaluations / tally.plies,
    }


def imported(folder: Path, games: int) -> ChunkFolder:
    """Games of random movers as `selfmate import` would keep them."""
    source, out = folder / "games.pgn", folder / "chunks"
    with source.open("w") as file:
        write_pgn(random_games(games, seed=1, max_plies=MAX_PLIES), file, tags=[RATED] * games)
    settings = ImportSettings(game_filter=GameFilter())
    work = GameImport([source], out, settings)
    for _ in work.run():
        pass
    work.close()
    return ChunkFolder(out)


def new_learner(games: ChunkFolder, threads: int) -> Pretraining:
    settings = {"batch": BATCH, "accumulation": 1, "threads": threads}
    return Pretraining(pretrain_alphazero_config.Config.model_validate(settings), games)


def learners(games: ChunkFolder) -> tuple[Pretraining, Pretraining]:
    """Ours, and one that has the same net with the convolutions of torch; on one thread."""
    ours, plain = new_learner(games, 1), new_learner(games, 1)
    plain.net = with_torch_convolutions(ours.net)
    plain.descent = new_descent(plain.config, plain.net)
    return ours, plain


def check_same(ours: Pretraining, plain: Pretraining, examples: Examples) -> None:
    mine, theirs = (update(learner, examples) for learner in (ours, plain))
    if any(abs(mine[name] - theirs[name]) > SAME * abs(theirs[name]) for name in theirs):
        raise RuntimeError(f"the two nets learn differently: {mine} and {theirs}")


def update(learner: Pretraining, examples: Examples) -> dict[str, float]:
    with one_thread():
        return learner.update(iter([examples]), learner.config.learning_rate, Stopwatch())


def learn(learner: Pretraining, examples: Examples) -> float:
    """An update from examples at hand."""
    update(learner, examples)
    return len(examples)


def load(games: ChunkFolder) -> float:
    """All positions once, from chunks to what a net learns from."""
    stream = ChunkStream(games, "training", seed=1)
    return sum(map(len, map(examples_of_games, stream.batches(0, stream.count, BATCH))))


def pretrain(learner: Pretraining, updates: int) -> float:
    """Updates as a run makes them, loading included."""
    batches = learner.stream.batches(0, updates * BATCH, BATCH)
    examples = prefetched(map(examples_of_games, batches), PREFETCHED)
    with one_thread():
        for _ in range(updates):
            learner.update(examples, learner.config.learning_rate, Stopwatch())
    examples.close()
    return updates * BATCH


def new_self_player(threads: int) -> AlphaZero:
    games = threads * SELF_PLAY["at_once"]
    settings = {**SELF_PLAY, "games": games, "threads": threads}
    return AlphaZero(alphazero_config.Config.model_validate(settings))


def self_play(learner: AlphaZero) -> Tally:
    """The first plies of games of a new net with itself, the same ones every time."""
    return play_games(learner.evaluators, learner.plan(np.random.default_rng(1)))[1]
