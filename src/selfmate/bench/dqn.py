"""The chess DQN: how fast it plays, learns and imitates; its net beside torch's dense layers."""

import tempfile
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
import torch

from selfmate.arena.openings import shipped_openings
from selfmate.arena.self_play import Plan, Tally, play_games
from selfmate.bench import Figures
from selfmate.bench.dense_net import contestants
from selfmate.bench.measure import Go, best_rates, ratio
from selfmate.bench.outside import share_outside
from selfmate.data import teacher_games
from selfmate.data.collection import Choosiness, Collection
from selfmate.data.lessons import Teachings
from selfmate.data.positions import read_positions
from selfmate.learners import dqn_config, pretrain_dqn, pretrain_dqn_config
from selfmate.learners.dqn import Dqn
from selfmate.nets.q_net import QNet
from selfmate.nets.threads import one_thread
from selfmate.players.q_player import QPlayer
from selfmate.runs.stopwatch import Stopwatch
from selfmate.search.teacher import score_moves

ROUNDS = 5
GAMES = 128
LEARNED = 8192  # experiences in one go
BATCH = 1024  # positions of imitation, and of both nets
TAUGHT_GAMES = 64


def run(rounds: int = ROUNDS) -> Figures:
    """All contestants in one run, on one thread but for the teacher's advice."""
    torch.manual_seed(1)
    with one_thread():
        teachings = taught()
        imitation = pretrain_dqn.Imitation(
            pretrain_dqn_config.Config.model_validate({"batch": BATCH}), teachings
        )
        net = _taught_net(imitation)
        loops: dict[str, Go] = {
            "play": lambda: play(net, advice_depth=0).games,
            "play_advised": lambda: play(net, advice_depth=2).games,
            "learn_256": updates(256),
            "learn_1024": updates(1024),
        }
        lesson = teachings.lesson(teachings.training[:BATCH])
        others: dict[str, Go] = {"imitate": partial(imitate, imitation), **contestants(net, lesson)}
        rates = best_rates(loops | others, rounds)
        plies_per_game = play(net, advice_depth=0).plies / GAMES
        outside = {
            f"{name}_share_outside": median(share_outside(go) for _ in range(rounds))
            for name, go in loops.items()
        }
    return _figures(rates, plies_per_game) | outside


def _figures(rates: dict[str, float | None], plies_per_game: float) -> Figures:
    figures: Figures = {"sparse_x_vs_dense": ratio(rates["sparse"], rates["dense"])}
    for name, rate in rates.items():
        kind = name.split("_")[0]
        if kind == "play":
            figures |= {
                f"{name}_games_per_s": rate,
                f"{name}_plies_per_s": (rate or 0.0) * plies_per_game,
            }
        else:
            figures[f"{name}_{'updates' if kind == 'learn' else 'positions'}_per_s"] = rate
    return figures


def _taught_net(imitation: pretrain_dqn.Imitation) -> QNet:
    """A net of its own that knows a little: others repeat moves until few games are left."""
    imitation.study(0, imitation.total)
    net = imitation.player.make_net()
    net.take(imitation.net.arrays())
    return net


def play(net: QNet, *, advice_depth: int) -> Tally:
    """Games of the net with itself, the same ones every time."""
    plan = Plan(
        boards=[opening.board() for opening in shipped_openings()[:GAMES]],
        seats=np.zeros((GAMES, 2), np.int64),
        epsilon=0.1,
        max_plies=100,
        seed=1,
        gamma=0.99,
        advice_depth=advice_depth,
    )
    return play_games([QPlayer("learner", net)], plan)[1]


def updates(batch: int) -> Go:
    """Of a learner that has played a cycle."""
    config = dqn_config.Config.model_validate({"batch": batch, "games": GAMES})
    dqn, dice = Dqn(config), np.random.default_rng(1)
    dqn.play(1, dice)

    def go() -> float:
        for _ in range(LEARNED // batch):
            dqn.update(1, 1, dice, Stopwatch())
        return LEARNED // batch

    return go


def taught() -> Teachings:
    """A few thousand positions of the teacher's games."""
    plan = teacher_games.Plan(games=TAUGHT_GAMES)
    games = teacher_games.TeacherGames(plan, partial(score_moves, depth=1), TAUGHT_GAMES)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "taught.ndjson"
        collection = Collection(games, Choosiness(), path, teacher="teacher:depth=1", resume=False)
        for _ in collection.run():
            pass
        collection.save()
        collection.close()
        return Teachings(read_positions(path), validation=0.1, sharpness=1.0, seed=1)


def imitate(imitation: pretrain_dqn.Imitation) -> float:
    """The first batches of an epoch."""
    imitation.study(0, 4 * BATCH)
    return 4 * BATCH
