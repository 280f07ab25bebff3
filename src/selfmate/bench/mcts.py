"""The tree search: with nothing to ask, and with a tiny net; beside that net alone, and beside a
search in Python with python-chess and torch.

With a net it is evaluations that are counted, so that simulations which end where the value is
known flatter nobody; nothing is shared through the cache.
"""

from functools import partial
from statistics import median
from typing import Any

import chess
import numpy as np
import torch
from numpy.typing import NDArray

from selfmate import _core
from selfmate.arena.openings import shipped_openings
from selfmate.bench import Figures
from selfmate.bench.mcts_in_python import PythonMcts, knowing_nothing
from selfmate.bench.measure import Go, median_ratio, rates_by_round
from selfmate.bench.torch_net import with_net, with_torch_convolutions
from selfmate.encodings import encode
from selfmate.nets.evaluator import Evaluator, make_evaluator
from selfmate.nets.se_resnet import SIZES, SeResNet
from selfmate.nets.threads import one_thread
from selfmate.rules import Board
from selfmate.search.tree import Forest, TreeSettings

ROUNDS = 7
GAMES = 64  # at once, each with a leaf in a batch
LEAVES = 8  # in a batch of one game
# Simulations of a game in one go.
SIMULATIONS = 800
ONE_GAME_SIMULATIONS = 20_000
NET_SIMULATIONS = 10
ONE_GAME_NET_SIMULATIONS = 100
OPINION = 30  # makes the policy of a new net about as sharp as that of a trained one
EVEN = np.array([0.25, 0.5, 0.25], np.float32)


def run(rounds: int = ROUNDS) -> Figures:
    """All contestants in one run, on one thread but for one that has two."""
    with one_thread():
        rates = rates_by_round(contestants(opinionated_net()), rounds)
    figures: Figures = {
        "trivial_simulations_per_s": median(rates["trivial"]),
        "trivial_x_vs_python_mcts": median_ratio(rates["trivial"], rates["trivial_python_mcts"]),
        "search_x_vs_bare_net": median_ratio(rates["search"], rates["bare_net"]),
        "search_one_game_x_vs_bare_net": median_ratio(
            rates["search_one_game"], rates["bare_net_of_8"]
        ),
        "search_x_vs_python_mcts": median_ratio(rates["search_one_game"], rates["python_mcts"]),
        "core_x_vs_torch": median_ratio(rates["bare_net"], rates["torch"]),
        "core_of_8_x_vs_torch": median_ratio(rates["bare_net_of_8"], rates["torch_of_8"]),
        "two_threads_x_vs_one": median_ratio(rates["bare_net_two_threads"], rates["bare_net"]),
    }
    for name in ("trivial_one_game", "trivial_python_mcts"):
        figures[f"{name}_simulations_per_s"] = median(rates.pop(name))
    del rates["trivial"]
    for name, of_rounds in rates.items():
        figures[f"{name}_evaluations_per_s"] = median(of_rounds)
    return figures


def contestants(net: SeResNet) -> dict[str, Go]:
    """Those whose ratio counts come one after the other."""
    boards = [opening.board() for opening in shipped_openings()[:GAMES]]
    planes = encode("planes68", boards)
    ours, theirs = make_evaluator(net), with_torch_convolutions(net)
    settings = TreeSettings(leaves_per_game=LEAVES)
    return {
        "trivial": partial(grow_trivially, boards, SIMULATIONS),
        "trivial_python_mcts": partial(
            search_in_python, knowing_nothing(settings, batch=LEAVES), boards[:1], SIMULATIONS
        ),
        "trivial_one_game": partial(
            grow_trivially, boards[:1], ONE_GAME_SIMULATIONS, leaves_per_game=LEAVES
        ),
        "search": partial(grow, ours, boards, NET_SIMULATIONS),
        "bare_net": partial(ask, ours, planes, NET_SIMULATIONS),
        "bare_net_two_threads": partial(
            ask, make_evaluator(net, threads=2), planes, NET_SIMULATIONS
        ),
        "torch": partial(ask_torch, theirs, planes, NET_SIMULATIONS // 2),
        "bare_net_of_8": partial(ask, ours, planes[:LEAVES], NET_SIMULATIONS * 4),
        "search_one_game": partial(grow_one_by_one, ours, boards[:4], ONE_GAME_NET_SIMULATIONS),
        "python_mcts": partial(
            search_in_python,
            with_net(theirs, settings, batch=LEAVES),
            boards[:1],
            ONE_GAME_NET_SIMULATIONS,
        ),
        "torch_of_8": partial(ask_torch, theirs, planes[:LEAVES], NET_SIMULATIONS * 2),
    }


def opinionated_net() -> SeResNet:
    """A new net prefers no move, and trees would be flatter than they are in use."""
    torch.manual_seed(1)
    net = SeResNet(SIZES["tiny"])
    with torch.no_grad():
        net.policy.weight *= OPINION
    return net


def grow_trivially(boards: list[Board], simulations: int, *, leaves_per_game: int = 1) -> float:
    """Simulations of trees for which all moves are alike and all positions even."""
    search = _core.TreeSearch(leaves_per_game=leaves_per_game)
    slots = np.arange(len(boards))
    for slot, board in enumerate(boards):
        search.set(slot, board)
    search.start(slots, simulations, noise=False, seeds=np.zeros(len(boards), np.uint64))
    batch = len(boards) * leaves_per_game
    even = np.tile(EVEN, (batch, 1))
    while count := search.gather(batch):
        search.receive(even[:count])
    _, _, visits, _ = search.roots(slots)
    return float((visits - 1).sum())


def grow(
    evaluator: Evaluator, boards: list[Board], simulations: int, *, leaves_per_game: int = 1
) -> float:
    """Evaluations that the trees asked for."""
    settings = TreeSettings(leaves_per_game=leaves_per_game)
    forest = Forest(evaluator, settings, batch=len(boards) * leaves_per_game)
    slots = np.arange(len(boards))
    forest.plant(slots, boards)
    forest.start(slots, simulations)
    return sum(forest.batches())


def grow_one_by_one(evaluator: Evaluator, boards: list[Board], simulations: int) -> float:
    """As an engine does that plays one game."""
    return sum(grow(evaluator, [board], simulations, leaves_per_game=LEAVES) for board in boards)


def search_in_python(search: PythonMcts[Any], boards: list[Board], simulations: int) -> float:
    """Evaluations that it asked for."""
    before = search.evaluations
    for board in boards:
        search.search(board_of_python_chess(board), simulations)
    return search.evaluations - before


def board_of_python_chess(board: Board) -> chess.Board:
    """With its line."""
    same = chess.Board()
    for move in board.moves:
        same.push_uci(move)
    return same


def ask(evaluator: Evaluator, planes: NDArray[np.float32], times: int) -> float:
    for _ in range(times):
        evaluator(planes)
    return len(planes) * times


def ask_torch(net: SeResNet, planes: NDArray[np.float32], times: int) -> float:
    with torch.inference_mode():
        for _ in range(times):
            net(torch.from_numpy(planes))
    return len(planes) * times
