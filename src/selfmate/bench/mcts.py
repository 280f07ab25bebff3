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

ROUNDS = 12
NET_ROUNDS = 48  # short ones: the ratios are small
GAMES = 64  # at once, each with a leaf in a batch
LEAVES = 8  # in a batch of one game
# Simulations of a game in one go.
SIMULATIONS = 800
ONE_GAME_SIMULATIONS = 20_000
NET_SIMULATIONS = 48
NO_END = 1_000_000
OPINION = 45  # leaves about ten moves in question, as a trained net does
EVEN = np.array([0.25, 0.5, 0.25], np.float32)


def run(rounds: int = ROUNDS, net_rounds: int = NET_ROUNDS) -> Figures:
    """All contestants in one run, on one thread but for one that has two."""
    net = opinionated_net()
    boards = [opening.board() for opening in shipped_openings()[:GAMES]]
    with one_thread():
        trivial = rates_by_round(knowing_nothing_race(boards), rounds)
        asking = rates_by_round(many_games_race(net, boards), net_rounds)
        asking |= rates_by_round(one_game_race(net, boards[0]), net_rounds)
    return _figures(trivial, asking)


def _figures(trivial: dict[str, list[float]], asking: dict[str, list[float]]) -> Figures:
    ratios = {
        "search_x_vs_bare_net": ("search", "bare_net"),
        "search_one_game_x_vs_bare_net": ("search_one_game", "bare_net_of_8"),
        "search_x_vs_python_mcts": ("search_one_game", "python_mcts"),
        "core_x_vs_torch": ("bare_net", "torch"),
        "two_threads_x_vs_one": ("bare_net_two_threads", "bare_net"),
    }
    return {
        "trivial_simulations_per_s": median(trivial["trivial"]),
        "trivial_x_vs_python_mcts": median_ratio(trivial["trivial"], trivial["python_mcts"]),
        **{key: median_ratio(asking[ours], asking[peer]) for key, (ours, peer) in ratios.items()},
        "trivial_one_game_simulations_per_s": median(trivial["one_game"]),
        "trivial_python_mcts_simulations_per_s": median(trivial["python_mcts"]),
        **{f"{name}_evaluations_per_s": median(rates) for name, rates in asking.items()},
    }


def knowing_nothing_race(boards: list[Board]) -> dict[str, Go]:
    slow = knowing_nothing(TreeSettings(), batch=LEAVES)
    return {
        "trivial": partial(grow_trivially, boards, SIMULATIONS),
        "python_mcts": partial(search_in_python, slow, boards[0], SIMULATIONS),
        "one_game": partial(
            grow_trivially, boards[:1], ONE_GAME_SIMULATIONS, leaves_per_game=LEAVES
        ),
    }


def many_games_race(net: SeResNet, boards: list[Board]) -> dict[str, Go]:
    """A go is a batch of as many leaves or positions as there are games."""
    ours, planes = make_evaluator(net), encode("planes68", boards)
    return {
        "search": growing(ours, boards),
        "bare_net": partial(ask, ours, planes),
        "bare_net_two_threads": partial(ask, make_evaluator(net, threads=2), planes),
        "torch": partial(ask_torch, with_torch_convolutions(net), planes),
    }


def one_game_race(net: SeResNet, board: Board) -> dict[str, Go]:
    """Batches of eight, as an engine has them that plays one game."""
    ours, planes = make_evaluator(net), encode("planes68", [board] * LEAVES)
    slow = with_net(with_torch_convolutions(net), TreeSettings(), batch=LEAVES)
    return {
        "search_one_game": partial(grow, ours, board, NET_SIMULATIONS),
        "bare_net_of_8": lambda: sum(ask(ours, planes) for _ in range(NET_SIMULATIONS // LEAVES)),
        "python_mcts": partial(search_in_python, slow, board, NET_SIMULATIONS),
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
    _, _, _, visits, _ = search.roots(slots)
    return float((visits - 1).sum())


def growing(evaluator: Evaluator, boards: list[Board]) -> Go:
    """Trees that grow by a batch in every go, and say how many evaluations it took."""
    forest, slots = Forest(evaluator, batch=len(boards)), np.arange(len(boards))
    forest.plant(slots, boards)
    forest.start(slots, NO_END)
    batches = forest.batches()
    return lambda: next(batches)


def grow(evaluator: Evaluator, board: Board, simulations: int) -> float:
    """Evaluations that the tree of one game asked for."""
    forest = Forest(evaluator, TreeSettings(leaves_per_game=LEAVES), batch=LEAVES)
    slot = np.zeros(1, np.int64)
    forest.plant(slot, [board])
    forest.start(slot, simulations)
    return sum(forest.batches())


def search_in_python(search: PythonMcts[Any], board: Board, simulations: int) -> float:
    """Evaluations that it asked for."""
    before = search.evaluations
    search.search(board_of_python_chess(board), simulations)
    return search.evaluations - before


def board_of_python_chess(board: Board) -> chess.Board:
    """With its line."""
    same = chess.Board()
    for move in board.moves:
        same.push_uci(move)
    return same


def ask(evaluator: Evaluator, planes: NDArray[np.float32]) -> float:
    evaluator(planes)
    return len(planes)


def ask_torch(net: SeResNet, planes: NDArray[np.float32]) -> float:
    with torch.inference_mode():
        net(torch.from_numpy(planes))
    return len(planes)
