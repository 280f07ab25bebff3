"""The core's tree search against the peer in plain Python, visit by visit."""

import hashlib

import chess
import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import selfmate._core as core
from selfmate._core import TreeSearch
from selfmate.nets.config import MoveScorerConfig, QNetConfig, ResNetConfig
from selfmate.nets.evaluator import make_evaluator, make_search_evaluator
from selfmate.nets.resnet import SeResNet
from selfmate.rules import Board, random_games, uci_code, uci_text
from selfmate.searches.config import SearchConfig
from selfmate.searches.tree import BatchedTreeSearch
from selfmate_benchmarks.mcts import board_of_python_chess
from selfmate_benchmarks.peers.mcts import (
    Node,
    PythonMcts,
    softmax,
    visits_of,
    with_net,
    with_torch_convolutions,
)
from selfmate_benchmarks.peers.rules import az4672, planes68

ACTIONS = 4672
SLOT = np.zeros(1, np.int64)
FORCED_MATE = "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1"
BARE = "8/8/8/4k3/8/8/4P3/4K3 w - - 96 80"  # the fifty-move rule is near
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"
MATE_IN_TWO = "7k/8/R7/1R6/8/8/8/K7 w - - 0 1"
MATED_SOON = "7k/8/5K2/8/8/8/8/6Q1 b - - 0 1"  # every move is answered by mate
QUIET = (
    (),
    ("e2e4", "c7c5", "g1f3", "d7d6", "d2d4", "c5d4"),
    ("d2d4", "g8f6", "c2c4", "e7e6", "b1c3", "f8b4"),
)
Planes = NDArray[np.float32]  # [68, 8, 8]


def random_evaluation(planes: Planes) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Random logits of all actions and WDL, always the same for the same planes."""
    rng = np.random.default_rng(
        int.from_bytes(hashlib.sha256(planes.tobytes()).digest()[:8], "little")
    )
    wdl = rng.dirichlet(np.ones(3)).astype(np.float32)
    return rng.normal(size=ACTIONS).astype(np.float32) * 2, wdl


def search_core(board: Board, simulations: int) -> TreeSearch:
    search = TreeSearch()
    search.set(0, board)
    search.start(SLOT, simulations, noise=False, seeds=np.zeros(1, np.uint64))
    planes = np.zeros((8, 68, 8, 8), np.float32)
    while count := search.gather(8, planes):
        answers = [random_evaluation(one) for one in planes[:count]]
        search.receive(
            np.stack([wdl for _, wdl in answers]), np.stack([logits for logits, _ in answers])
        )
    return search


def search_python(board: Board, simulations: int) -> Node:
    """The planes are the peer's own, so the encoders take part in the comparison."""

    def observe(twin: chess.Board, moves: list[chess.Move]) -> tuple[Planes, list[int]]:
        planes = np.ascontiguousarray(planes68(twin))
        return planes, [az4672(move, twin.turn) for move in moves]

    def evaluate(
        leaves: list[tuple[Planes, list[int]]],
    ) -> list[tuple[float, NDArray[np.float64]]]:
        answers = [(*random_evaluation(planes), actions) for planes, actions in leaves]
        return [(float(wdl[0] - wdl[2]), softmax(logits[legal])) for logits, wdl, legal in answers]

    search = PythonMcts(observe, evaluate, SearchConfig(), batch=1, prove_mates=True)
    return search.search(board_of_python_chess(board), simulations)


def positions() -> list[Board]:
    """Positions of random games, early and late, some with mates, one near the fifty-move rule."""
    games = random_games(12, seed=5, max_plies=200)
    boards = []
    for number, moves in enumerate(games.uci(n) for n in range(len(games))):
        board = Board()
        for move in moves[: 3 + 13 * number]:
            board.push(move)
        if board.outcome() is None:
            boards.append(board)
    fens = (FORCED_MATE, BARE, MATE_IN_ONE, MATE_IN_TWO, MATED_SOON)
    return [*boards, *map(Board, fens)]


@pytest.mark.parametrize("number", range(len(positions())))
def test_visits_and_values_are_those_of_the_slow_search(number: int) -> None:
    board = positions()[number]
    search = search_core(board, 150)
    root = search_python(board, 150)
    by_prior = np.argsort(-root.priors, kind="stable")
    moves, _, visits, priors, values, _, _ = search.moves(SLOT)
    assert [uci_text(int(move)) for move in moves] == [root.moves[at].uci() for at in by_prior]
    assert visits.tolist() == root.tries[by_prior].tolist()
    assert priors == pytest.approx(root.priors[by_prior], abs=1e-6)
    means = root.sums / np.maximum(root.tries, 1)
    wanted = np.where(root.proofs != 0, root.proofs, means)
    assert values == pytest.approx(wanted[by_prior], abs=1e-4)
    best, wdl, best_wdl, all_visits, mates = search.roots(SLOT)
    played = [move.uci() for move in root.moves].index(uci_text(int(best[0])))
    assert best_wdl[0, 0] - best_wdl[0, 2] == pytest.approx(wanted[played], abs=1e-4)
    assert all_visits[0] == root.visits
    assert mates[0] == (root.known_value or 0) * root.plies_to_mate
    assert wdl[0].sum() == pytest.approx(1, abs=1e-5)
    if not root.known_value:
        assert wdl[0, 0] - wdl[0, 2] == pytest.approx(root.value_sum / root.visits, abs=1e-4)


def search_python_with(net: core.PositionEvaluator, board: Board, simulations: int) -> Node:
    """The slow search with a net that is asked board by board."""

    def observe(twin: chess.Board, moves: list[chess.Move]) -> tuple[Board, list[int]]:
        return Board(twin.fen()), [uci_code(move.uci()) for move in moves]

    def evaluate(leaves: list[tuple[Board, list[int]]]) -> list[tuple[float, NDArray[np.float64]]]:
        answers = []
        for leaf, wanted in leaves:
            wdl, moves, logits, _ = net.evaluate([leaf])
            by_move = dict(zip(moves.tolist(), logits.tolist(), strict=True))
            priors = softmax(np.array([by_move[move] for move in wanted], np.float32))
            answers.append((float(wdl[0, 0] - wdl[0, 2]), priors))
        return answers

    search = PythonMcts(observe, evaluate, SearchConfig(), batch=1, prove_mates=True)
    return search.search(board_of_python_chess(board), simulations)


@pytest.mark.parametrize("number", range(0, len(positions()), 3))
@pytest.mark.parametrize(
    "config",
    [
        QNetConfig(hidden=(24, 16), dueling=True),
        MoveScorerConfig(encoding="turned768", hidden=(24, 16), value_head=True),
    ],
    ids=["q_net", "move_scorer"],
)
def test_a_net_of_the_core_is_searched_as_by_the_slow_search(
    config: QNetConfig | MoveScorerConfig, number: int
) -> None:
    torch.manual_seed(1)
    net, board = make_search_evaluator(config.make_net()), positions()[number]
    assert isinstance(net, core.PositionEvaluator)
    root = search_python_with(net, board, 100)
    search = BatchedTreeSearch(net, batch=8)
    search.reset(SLOT, [board])
    search.run(SLOT, 100)
    found = search.moves(SLOT)
    visits = dict(zip(map(uci_text, found.moves.tolist()), found.visits.tolist(), strict=True))
    assert visits == dict(zip([m.uci() for m in root.moves], root.tries.tolist(), strict=True))


def test_mates_are_among_the_positions() -> None:
    """Else the comparison would not reach the proofs."""
    lengths = {search_python(board, 150).plies_to_mate for board in positions()}
    assert {1, 2, 3} <= lengths


def sharp_net() -> SeResNet:
    """A net with strong preferences, so that no two moves have equal scores."""
    torch.manual_seed(1)
    net = SeResNet(ResNetConfig(blocks=1, filters=16, attention_blocks=1))
    with torch.no_grad():
        net.policy.weight *= 50
        net.value.out.weight *= 50
    return net


@pytest.mark.parametrize("batch", [1, 8])
@pytest.mark.parametrize("line", QUIET)
def test_visits_with_a_net_and_virtual_loss(line: tuple[str, ...], batch: int) -> None:
    """Quiet positions: no mate is near, so the peer needs no proofs."""
    net, config = sharp_net(), SearchConfig(leaves_per_game=batch)
    board = Board()
    for move in line:
        board.push(move)
    tree_search = BatchedTreeSearch(make_evaluator(net), config, batch=batch)
    tree_search.reset(SLOT, [board])
    tree_search.run(SLOT, 120)
    found = tree_search.moves(SLOT)
    ours = {uci_text(int(m)): int(n) for m, n in zip(found.moves, found.visits, strict=True)}
    theirs = with_net(with_torch_convolutions(net), config, batch=batch)
    assert ours == visits_of(theirs.search(board_of_python_chess(board), 120))
    assert len(set(ours.values())) > 3
