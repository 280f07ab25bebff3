"""AlphaZero: its net learning from recorded games, beside torch's convolutions, and self-play."""

import tempfile
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np

from selfmate.data.dataset import ChunkFolder, ChunkStream
from selfmate.data.examples import Examples, examples_of_games
from selfmate.data.game_filter import GameFilter
from selfmate.data.pgn_import import GameImport, ImportSettings
from selfmate.learners.alphazero.config import Config, PretrainConfig
from selfmate.learners.alphazero.learner import AlphaZero
from selfmate.learners.alphazero.pretrain import Pretraining, make_optimizer
from selfmate.nets.optim import one_thread
from selfmate.nets.resnet import with_torch_convolutions
from selfmate.rules import available_cores, random_games, write_pgn
from selfmate.runs import Stopwatch
from selfmate_benchmarks import Results, median_ratio, rates_by_round

ROUNDS = 7
ROUNDS_ON_ALL_CORES = 2
GAMES = 250  # of random movers
MAX_PLIES = 120
BATCH = 256
UPDATES = 2  # per go, on all cores
TOLERANCE = 1e-3  # relative, between the losses of both nets
RATED = {"WhiteElo": "2600", "BlackElo": "2500"}
# Self-play settings of the preset `tiny`, except for the number and length of the games.
SELF_PLAY = {"parallel_games": 32, "simulations": 24, "num_considered_actions": 8, "max_plies": 2}


def run(rounds: int = ROUNDS) -> Results:
    """All contestants in one run: first those on one thread, then those on all cores."""
    cores = available_cores()
    with tempfile.TemporaryDirectory() as folder:
        games = imported(Path(folder), GAMES)
        learner, plain = learners(games)
        (examples,) = learner.batches(0, BATCH)
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
        plies, evaluations = self_play(self_player)
        rates |= rates_by_round(
            {
                "pretrain_all_cores": partial(pretrain, new_learner(games, cores), UPDATES),
                "self_play_all_cores": lambda: self_play(self_player)[0],
            },
            ROUNDS_ON_ALL_CORES,
        )
    return _results(rates, evaluations / plies)


def _results(rates: dict[str, list[float]], evaluations_per_ply: float) -> Results:
    plies_per_s = median(rates.pop("self_play_all_cores"))
    return {
        "train_x_vs_torch": median_ratio(rates["learn"], rates["torch"]),
        "loading_share": median(
            learned / (learned + loaded)
            for learned, loaded in zip(rates["learn"], rates["load"], strict=True)
        ),
        **{f"{name}_positions_per_s": median(of_rounds) for name, of_rounds in rates.items()},
        "self_play_all_cores_plies_per_s": plies_per_s,
        "self_play_all_cores_evaluations_per_s": plies_per_s * evaluations_per_ply,
    }


def imported(folder: Path, games: int) -> ChunkFolder:
    """Random games, imported as by `selfmate import`."""
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
    settings = {"batch_size": BATCH, "gradient_accumulation": 1, "threads": threads}
    return Pretraining(PretrainConfig.model_validate(settings), [games])


def learners(games: ChunkFolder) -> tuple[Pretraining, Pretraining]:
    """Ours, and one whose net has torch's convolutions; both on one thread."""
    ours, plain = new_learner(games, 1), new_learner(games, 1)
    plain.net = with_torch_convolutions(ours.net)
    plain.optimizer = make_optimizer(plain.config, plain.net)
    return ours, plain


def check_same(ours: Pretraining, plain: Pretraining, examples: Examples) -> None:
    mine, theirs = (update(learner, examples) for learner in (ours, plain))
    if any(abs(mine[name] - theirs[name]) > TOLERANCE * abs(theirs[name]) for name in theirs):
        raise RuntimeError(f"the two nets learn differently: {mine} and {theirs}")


def update(learner: Pretraining, examples: Examples) -> dict[str, float]:
    with one_thread():
        return learner.update(iter([examples]), learner.config.learning_rate, Stopwatch())


def learn(learner: Pretraining, examples: Examples) -> float:
    """An update from given examples."""
    update(learner, examples)
    return len(examples)


def load(games: ChunkFolder) -> float:
    """All positions once, from chunks to examples."""
    stream = ChunkStream(games, "training", seed=1)
    return sum(map(len, map(examples_of_games, stream.batches(0, stream.count, BATCH))))


def pretrain(learner: Pretraining, updates: int) -> float:
    """Updates as in a run, loading included."""
    examples = learner.batches(0, updates * BATCH)
    with one_thread():
        for _ in range(updates):
            learner.update(examples, learner.config.learning_rate, Stopwatch())
    examples.close()
    return updates * BATCH


def new_self_player(threads: int) -> AlphaZero:
    games = threads * SELF_PLAY["parallel_games"]
    settings = {**SELF_PLAY, "games": games, "threads": threads}
    return AlphaZero(Config.model_validate(settings))


def self_play(learner: AlphaZero) -> tuple[int, int]:
    """Plies and evaluations of a new net's first plies with itself, the same ones every time."""
    plan = learner.plan(np.random.default_rng(1))
    games = learner.workers.play(learner.actors(), plan)
    return games.stats.plies, games.leaves
