"""The chess DQN: playing, learning and imitating; its Q-net beside dense layers of torch."""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch
from torch import Tensor

import selfmate._core as core
from selfmate.arena.openings import shipped_openings
from selfmate.data import teacher_games
from selfmate.data.collection import Collection, CollectionFilter
from selfmate.data.teacher_data import LabelledBatch
from selfmate.encodings.features import inputs_of
from selfmate.learners.dqn.config import Config, PretrainConfig
from selfmate.learners.dqn.labels import FileLabels
from selfmate.learners.dqn.learner import Dqn
from selfmate.learners.dqn.pretrain import Imitation
from selfmate.nets import sparse
from selfmate.nets.config import QNetConfig
from selfmate.nets.evaluator import QNetEvaluator
from selfmate.nets.optim import Optimizer, one_thread
from selfmate.nets.q_net import QNet
from selfmate.nets.sparse import log_softmax
from selfmate.players.evaluation import evaluate
from selfmate.players.network import QPlayer
from selfmate.runs import Stopwatch
from selfmate.searches.config import SearchConfig
from selfmate.searches.teacher import score_moves
from selfmate.searches.tree import BatchedTreeSearch
from selfmate.selfplay.dqn import EpsilonGreedyActor, episodes_of
from selfmate.selfplay.games import GamePlan, GameStats, play_games
from selfmate.selfplay.labelled import LabelPlan
from selfmate_benchmarks import Go, Results, best_rates, ratio

ROUNDS = 5
GAMES = 128
LEARNED = 8192  # transitions per go
BATCH = 1024  # positions of imitation, and of both nets
TEACHER_GAMES = 64
LABELLED = 1024  # positions per go
SEARCHED_GAMES, SIMULATIONS = 4, 400
TOLERANCE = 1e-4  # between the losses of both nets

Function = Callable[..., Any]
NET_METHODS = ((QNet, "forward"), (QNet, "values"), (Optimizer, "gradient"), (Optimizer, "step"))
NET_FUNCTIONS = (sparse.log_softmax, torch.nn.functional.huber_loss)
# Computes the gradient of a loss, and returns the loss.
Act = Callable[[], float]


class Meter:
    """Sums the time spent in timed functions; nested calls count once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._is_within = False

    def timed(self, function: Function) -> Function:
        @wraps(function)
        def within(*arguments: Any, **named: Any) -> Any:
            if self._is_within:
                return function(*arguments, **named)
            self._is_within, began = True, time.perf_counter()
            try:
                return function(*arguments, **named)
            finally:
                self.seconds += time.perf_counter() - began
                self._is_within = False

        return within


def share_outside(go: Callable[[], object]) -> float:
    """The fraction of the time of `go` spent neither in the core nor in the net.

    That is what Python and NumPy take around them. Profilers do not see the functions of the core,
    so these and those of the net are replaced by timed ones.
    """
    meter = Meter()
    with _replaced(meter.timed):
        began = time.perf_counter()
        go()
        seconds = time.perf_counter() - began
    return 1 - meter.seconds / seconds


@contextmanager
def _replaced(timed: Callable[[Function], Function]) -> Iterator[None]:
    places = [*NET_METHODS, *_places_of_functions()]
    before = [(owner, name, getattr(owner, name)) for owner, name in places]
    for owner, name, function in before:
        setattr(owner, name, timed(function))
    try:
        yield
    finally:
        for owner, name, function in before:
            setattr(owner, name, function)


def _places_of_functions() -> list[tuple[Any, str]]:
    """All modules and names under which the timed functions are called."""
    functions = [f for f in vars(core).values() if callable(f) and not isinstance(f, type)]
    wanted = {id(function) for function in (*functions, *NET_FUNCTIONS)}
    modules = [
        torch.nn.functional,
        *(m for n, m in sys.modules.items() if n.startswith("selfmate")),
    ]
    return [
        (m, name) for m in modules for name, found in list(vars(m).items()) if id(found) in wanted
    ]


# The Q-net with dense layers of torch and a mask, beside ours


class DenseNet(torch.nn.Module):
    """Has the weights of a net of ours, so that both must give the same losses."""

    def __init__(self, net: QNet) -> None:
        super().__init__()
        sizes = (len(net.first.weight), *net.config.hidden, len(net.actions.bias))
        self.layers = torch.nn.ModuleList(torch.nn.Linear(*pair) for pair in pairwise(sizes))
        with torch.no_grad():
            for mine, theirs in zip(self.parameters(), _parameters(net), strict=True):
                mine.copy_(theirs)

    def forward(self, inputs: Tensor, is_legal: Tensor) -> Tensor:
        """[B, A] log softmax(values) over the legal actions; -inf for illegal ones."""
        level = inputs
        for layer in self.layers[:-1]:
            level = torch.relu(layer(level))
        values: Tensor = self.layers[-1](level)
        return values.masked_fill(~is_legal, -torch.inf).log_softmax(dim=1)


def _net_of_squares(net: QNet) -> QNet:
    """An untrained net of the same shape, whose moves have the weights of their squares alone."""
    return net.config.model_copy(update={"move_kinds": False}).make_net()


def contestants(net: QNet, labelled: LabelledBatch) -> dict[str, Go]:
    """Both nets over the same positions, forward and backward, checked to agree."""
    acts = {
        "sparse": partial(_learn_sparse, net, labelled),
        "dense": partial(_learn_dense, DenseNet(net), *_dense(net, labelled)),
    }
    ours, theirs = (act() for act in acts.values())
    if abs(ours - theirs) > TOLERANCE:
        raise RuntimeError(f"the losses of the two nets are {ours} and {theirs}")
    return {name: partial(_count, act, len(labelled.legal)) for name, act in acts.items()}


def _parameters(net: QNet) -> list[Any]:
    """In the order and shape of the dense net: our first matrix is transposed."""
    layers = (*net.hidden, net.actions)
    others = [tensor for layer in layers for tensor in (layer.weight, layer.bias)]
    return [net.first.weight.T, net.first.bias, *others]


def _dense(net: QNet, labelled: LabelledBatch) -> tuple[Tensor, Tensor, Tensor]:
    """Inputs [B, I], what is legal [B, A], and the best actions [B, 1]."""
    rows, legal = inputs_of(labelled.packed, net.config.inputs), labelled.legal
    inputs = np.zeros((len(rows), len(net.first.weight)), np.float32)
    inputs[np.repeat(np.arange(len(rows)), np.diff(rows.offsets)), rows.columns] = rows.values
    is_legal = np.zeros((len(rows), len(net.actions.bias)), np.bool_)
    is_legal[legal.rows, legal.values] = True
    best = legal.values[labelled.best].astype(np.int64)[:, None]
    return torch.from_numpy(inputs), torch.from_numpy(is_legal), torch.from_numpy(best)


def _learn_sparse(net: QNet, labelled: LabelledBatch) -> float:
    logs = log_softmax(net(labelled.packed, labelled.legal), labelled.legal.offsets)
    return _learn(-logs[torch.from_numpy(labelled.best)].mean())


def _learn_dense(net: DenseNet, inputs: Tensor, is_legal: Tensor, best: Tensor) -> float:
    logs: Tensor = net(inputs, is_legal)
    return _learn(-logs.gather(1, best).mean())


def _learn(loss: Tensor) -> float:
    loss.backward()  # type: ignore[no-untyped-call]
    return float(loss.detach())


def _count(act: Act, positions: int) -> float:
    act()
    return positions


def run(rounds: int = ROUNDS) -> Results:
    """All contestants in one run, on one thread except for the teacher's advice."""
    torch.manual_seed(1)
    with one_thread():
        labels = teacher_labels()
        dataset = labels.dataset
        imitation = Imitation(labels.config, QNetConfig.of(labels.config).make_net(), labels)
        net = _trained_net(imitation)
        loops: dict[str, Go] = {
            "play": lambda: play(net, teacher_depth=0).games,
            "play_advised": lambda: play(net, teacher_depth=2).games,
            "learn_256": updates(256),
            "learn_1024": updates(1024),
        }
        batch = dataset.lesson(dataset.training[:BATCH])
        others: dict[str, Go] = {
            "imitate": partial(imitate, imitation),
            "labels": label,
            **contestants(_net_of_squares(net), batch),
            **evaluations(net),
        }
        rates = best_rates(loops | others, rounds)
        plies_per_game = play(net, teacher_depth=0).plies / GAMES
        outside = {
            f"{name}_share_outside": median(share_outside(go) for _ in range(rounds))
            for name, go in loops.items()
        }
    return _results(rates, plies_per_game) | outside


def _results(rates: dict[str, float | None], plies_per_game: float) -> Results:
    results: Results = {
        "sparse_x_vs_dense": ratio(rates["sparse"], rates["dense"]),
        "evaluate_core_x_vs_torch": ratio(rates["evaluate_core"], rates["evaluate_torch"]),
    }
    for name, rate in rates.items():
        kind = name.split("_")[0]
        if kind == "play":
            results |= {
                f"{name}_games_per_s": rate,
                f"{name}_plies_per_s": (rate or 0.0) * plies_per_game,
            }
        else:
            results[f"{name}_{'updates' if kind == 'learn' else 'positions'}_per_s"] = rate
    return results


def _trained_net(imitation: Imitation) -> QNet:
    """A net that has learned a little: an untrained one repeats moves, so most games end early."""
    imitation.study(0, imitation.labels.total, Stopwatch())
    net = imitation.net.config.make_net()
    net.take(imitation.net.arrays())
    return net


def play(net: QNet, *, teacher_depth: int) -> GameStats:
    """Games of the net with itself, the same ones every time, made into episodes."""
    actor = EpsilonGreedyActor(
        players=[QPlayer("learner", net, exact_endings=False)],
        seats=np.zeros((GAMES, 2), np.int64),
        epsilon=0.1,
        teacher_depth=teacher_depth,
    )
    boards = [opening.board() for opening in shipped_openings()[:GAMES]]
    games = play_games([actor], GamePlan(boards=boards, max_plies=100, seed=1))
    episodes_of(games, actor, gamma=0.99)
    return games.stats


def updates(batch: int) -> Go:
    """Updates of a learner that has played one cycle."""
    config = Config.model_validate({"batch_size": batch, "games": GAMES})
    dqn, rng = Dqn(config), np.random.default_rng(1)
    dqn.play(1, rng, Stopwatch())

    def go() -> float:
        for _ in range(LEARNED // batch):
            dqn.update(1, 1, rng, Stopwatch())
        return LEARNED // batch

    return go


def teacher_labels() -> FileLabels:
    """A few thousand positions of the teacher's games."""
    plan = teacher_games.Plan(games=TEACHER_GAMES)
    games = teacher_games.TeacherGames(plan, partial(score_moves, depth=1), TEACHER_GAMES)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "teacher.ndjson"
        collection = Collection(
            games, CollectionFilter(), path, teacher="teacher:depth=1", resume=False
        )
        for _ in collection.run():
            pass
        collection.save()
        collection.close()
        settings = {"batch_size": BATCH, "data": (str(path),), "target_sharpness": 1.0}
        return FileLabels(PretrainConfig.model_validate(settings))


def label() -> float:
    """A chunk of the depth-2 teacher's labels, on one thread."""
    return len(LabelPlan(seed=1, chunk_positions=LABELLED).chunk(0, None))


def evaluations(net: QNet) -> dict[str, Go]:
    """Policy and value of positions: in the core, by torch, and within a tree search."""
    boards = [opening.board() for opening in shipped_openings()[:GAMES]]
    evaluator, slots = QNetEvaluator(net), np.arange(SEARCHED_GAMES)

    def in_core() -> float:
        return len(evaluator.evaluate(boards)[0])

    def by_torch() -> float:
        return len(evaluate(net, boards).offsets) - 1

    def in_search() -> float:
        config = SearchConfig(leaves_per_game=8)
        search = BatchedTreeSearch(evaluator, config, batch=8 * SEARCHED_GAMES)
        search.reset(slots, boards[:SEARCHED_GAMES])
        search.start(slots, SIMULATIONS)
        return sum(search.batches())

    return {"evaluate_core": in_core, "evaluate_torch": by_torch, "search": in_search}


def imitate(imitation: Imitation) -> float:
    """The first batches of an epoch."""
    imitation.study(0, 4 * BATCH, Stopwatch())
    return 4 * BATCH
