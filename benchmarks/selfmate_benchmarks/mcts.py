"""The tree search with and without a net, beside the bare net and a search in Python; and with a
sparse net, which the core evaluates inside the search.

With a net, evaluations are counted, not simulations: a simulation that ends at a known value costs
no evaluation. The evaluation cache is off.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from statistics import median
from typing import Any

import chess
import numpy as np
import torch
from numpy.typing import NDArray

import selfmate._core as core
from selfmate.arena.openings import shipped_openings
from selfmate.encodings import encode
from selfmate.nets.config import ResNetConfig, SparseNetConfig
from selfmate.nets.evaluator import Evaluator, SparseNetEvaluator, make_evaluator
from selfmate.nets.optim import one_thread
from selfmate.nets.resnet import SeResNet, with_torch_convolutions
from selfmate.nets.sparse_net import SparseNet
from selfmate.rules import Board
from selfmate.searches.config import SearchConfig
from selfmate.searches.tree import BatchedTreeSearch, Evaluate
from selfmate_benchmarks import Go, Results, median_ratio, rates_by_round
from selfmate_benchmarks.peers.mcts import PythonMcts, uniform_mcts, with_net

ROUNDS = 12
NET_ROUNDS = 48  # short ones: the ratios are small
GAMES = 64  # in parallel, each with one leaf per batch
LEAVES = 8  # per batch, with one game
# Simulations per game and go.
SIMULATIONS = 800
ONE_GAME_SIMULATIONS = 20_000
NET_SIMULATIONS = 48
UNLIMITED_SIMULATIONS = 1_000_000
SPARSE_SIMULATIONS = 5000
SPARSE_MOVE_WEIGHT = 1.0  # leaves about ten likely moves, too
POLICY_SCALE = 45  # leaves about ten likely moves, as a trained net does
EVEN = np.array([0.25, 0.5, 0.25], np.float32)


def run(rounds: int = ROUNDS, net_rounds: int = NET_ROUNDS) -> Results:
    """All contestants in one run, on one thread except those of two threads."""
    net = sharp_net()
    boards = [opening.board() for opening in shipped_openings()[:GAMES]]
    with one_thread():
        trivial = rates_by_round(uniform_race(boards), rounds)
        with_net_rates = rates_by_round(many_games_race(net, boards), net_rounds)
        one_game = one_game_race(net, boards[0]) | sparse_race(sharp_sparse_net(), boards)
        with_net_rates |= rates_by_round(one_game, net_rounds)
    return _results(trivial, with_net_rates)


def _results(trivial: dict[str, list[float]], with_net_rates: dict[str, list[float]]) -> Results:
    ratios = {
        "search_x_vs_bare_net": ("search", "bare_net"),
        "search_one_game_x_vs_bare_net": ("search_one_game", "bare_net_of_8"),
        "search_x_vs_python_mcts": ("search_one_game", "python_mcts"),
        "core_x_vs_torch": ("bare_net", "torch"),
        "two_threads_x_vs_one": ("bare_net_two_threads", "bare_net"),
        "sparse_x_vs_residual": ("sparse_search", "search_one_game"),
        "sparse_two_threads_x_vs_one": ("sparse_search_two_threads", "sparse_search"),
    }
    return {
        "trivial_simulations_per_s": median(trivial["trivial"]),
        "trivial_x_vs_python_mcts": median_ratio(trivial["trivial"], trivial["python_mcts"]),
        **{
            key: median_ratio(with_net_rates[ours], with_net_rates[peer])
            for key, (ours, peer) in ratios.items()
        },
        "trivial_one_game_simulations_per_s": median(trivial["one_game"]),
        "trivial_python_mcts_simulations_per_s": median(trivial["python_mcts"]),
        **{f"{name}_evaluations_per_s": median(rates) for name, rates in with_net_rates.items()},
    }


def uniform_race(boards: list[Board]) -> dict[str, Go]:
    slow = uniform_mcts(SearchConfig(), batch=LEAVES)
    return {
        "trivial": partial(search_uniformly, boards, SIMULATIONS),
        "python_mcts": partial(search_in_python, slow, boards[0], SIMULATIONS),
        "one_game": partial(
            search_uniformly, boards[:1], ONE_GAME_SIMULATIONS, leaves_per_game=LEAVES
        ),
    }


def many_games_race(net: SeResNet, boards: list[Board]) -> dict[str, Go]:
    """A go is one batch, with a leaf or position for each game."""
    ours, planes = make_evaluator(net), encode("planes96", boards)
    return {
        "search": growing_trees(ours, boards),
        "bare_net": partial(evaluate, ours, planes),
        "bare_net_two_threads": partial(evaluate, make_evaluator(net, threads=2), planes),
        "torch": partial(evaluate_with_torch, with_torch_convolutions(net), planes),
    }


def one_game_race(net: SeResNet, board: Board) -> dict[str, Go]:
    """Batches of eight, as in an engine that plays one game."""
    ours, planes = make_evaluator(net), encode("planes96", [board] * LEAVES)
    slow = with_net(with_torch_convolutions(net), SearchConfig(), batch=LEAVES)
    return {
        "search_one_game": partial(search_one_game, ours, board, NET_SIMULATIONS),
        "bare_net_of_8": lambda: sum(
            evaluate(ours, planes) for _ in range(NET_SIMULATIONS // LEAVES)
        ),
        "python_mcts": partial(search_in_python, slow, board, NET_SIMULATIONS),
    }


def sparse_race(net: SparseNet, boards: list[Board]) -> dict[str, Go]:
    """A game a thread, a leaf at a time, as engines and matches use a sparse net."""
    ours, pool = SparseNetEvaluator(net), ThreadPoolExecutor(2)

    def search(board: Board) -> float:
        return search_one_game(ours, board, SPARSE_SIMULATIONS, leaves=1)

    return {
        "sparse_search": lambda: search(boards[0]),
        # The same game twice: another one would take longer or shorter, and its thread wait.
        "sparse_search_two_threads": lambda: sum(pool.map(search, [boards[0]] * 2)),
        "bare_sparse_net": lambda: len(ours.evaluate(boards)[0]),
    }


def sharp_sparse_net() -> SparseNet:
    """As `sharp_net`."""
    torch.manual_seed(1)
    net = SparseNetConfig().make_net()
    with torch.no_grad():
        net.moves.weight.uniform_(-SPARSE_MOVE_WEIGHT, SPARSE_MOVE_WEIGHT)
    return net


def sharp_net() -> SeResNet:
    """A net with a sharp policy: with a new net trees would be flatter than they are in use."""
    torch.manual_seed(1)
    net = ResNetConfig().make_net()
    with torch.no_grad():
        net.policy.weight *= POLICY_SCALE
    return net


def search_uniformly(boards: list[Board], simulations: int, *, leaves_per_game: int = 1) -> float:
    """Simulations with a uniform policy and even values, without a net."""
    search = core.TreeSearch(leaves_per_game=leaves_per_game)
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


def growing_trees(evaluator: Evaluator, boards: list[Board]) -> Go:
    """A go grows the trees by one batch and returns its evaluations."""
    tree_search, slots = BatchedTreeSearch(evaluator, batch=len(boards)), np.arange(len(boards))
    tree_search.reset(slots, boards)
    tree_search.start(slots, UNLIMITED_SIMULATIONS)
    batches = tree_search.batches()
    return lambda: next(batches)


def search_one_game(
    evaluator: Evaluate, board: Board, simulations: int, *, leaves: int = LEAVES
) -> float:
    """The evaluations of a search of one game."""
    tree_search = BatchedTreeSearch(evaluator, SearchConfig(leaves_per_game=leaves), batch=leaves)
    slot = np.zeros(1, np.int64)
    tree_search.reset(slot, [board])
    tree_search.start(slot, simulations)
    return sum(tree_search.batches())


def search_in_python(search: PythonMcts[Any], board: Board, simulations: int) -> float:
    """The evaluations of a search in Python."""
    before = search.evaluations
    search.search(board_of_python_chess(board), simulations)
    return search.evaluations - before


def board_of_python_chess(board: Board) -> chess.Board:
    """The same game in python-chess."""
    same = chess.Board(board.start_fen)
    for move in board.moves:
        same.push_uci(move)
    return same


def evaluate(evaluator: Evaluator, planes: NDArray[np.float32]) -> float:
    evaluator(planes)
    return len(planes)


def evaluate_with_torch(net: SeResNet, planes: NDArray[np.float32]) -> float:
    with torch.inference_mode():
        net(torch.from_numpy(planes))
    return len(planes)
