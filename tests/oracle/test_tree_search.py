"""The core's tree search against the peer in plain Python, visit by visit."""

import hashlib

import chess
import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import selfmate._core as core
from oracle.slow_tree_search import Floats, SlowNode, SlowTreeSearch, halving_plan
from selfmate._core import TreeSearch
from selfmate.nets.config import MoveScorerConfig, QNetConfig, ResNetConfig
from selfmate.nets.evaluator import make_evaluator, make_search_evaluator
from selfmate.nets.resnet import SeResNet, with_torch_convolutions
from selfmate.rules import Board, random_games, uci_code, uci_text
from selfmate.searches.config import SearchConfig
from selfmate.searches.tree import BatchedTreeSearch
from selfmate_benchmarks.mcts import board_of_python_chess
from selfmate_benchmarks.peers.mcts import Node, PythonMcts, softmax, visits_of, with_net
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
Planes = NDArray[np.float32]  # at least [68, 8, 8]


def random_evaluation(planes: Planes) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Random logits of all actions and WDL, always the same for the same planes68."""
    rng = np.random.default_rng(
        int.from_bytes(hashlib.sha256(planes[:68].tobytes()).digest()[:8], "little")
    )
    wdl = rng.dirichlet(np.ones(3)).astype(np.float32)
    return rng.normal(size=ACTIONS).astype(np.float32) * 2, wdl


def search_core(board: Board, simulations: int, **settings: float) -> TreeSearch:
    search = TreeSearch(**settings)
    search.set(0, board)
    search.start(SLOT, simulations, noise=False, seeds=np.zeros(1, np.uint64))
    planes = np.zeros((8, 96, 8, 8), np.float32)
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


# Each option of the search, against the slow search that follows the formulas.

OPTIONS: dict[str, dict[str, float]] = {
    "defaults": {},
    "growing c_puct": {"c_puct_factor": 2.0, "c_puct_base": 50},
    "root c_puct": {"root_c_puct": 4.0},
    "policy temperature": {"policy_temperature": 1.6},
    "root policy temperature": {"policy_temperature": 0.8, "root_policy_temperature": 2.0},
    "absolute urgency": {"fpu_absolute": True, "fpu_value": 0.3},
    "absolute urgency at the root": {"root_fpu_absolute": True},
    "reduction at the root": {"root_fpu_reduction": 0.0},
    "c_puct by deviation": {"c_puct_stdev_scale": 0.85, "value_stdev_prior": 0.25},
    "twofold draws": {"two_fold_draws": True},
    "proven draws": {"prove_draws": True},
    "twofold and proven draws": {"two_fold_draws": True, "prove_draws": True},
    "lower confidence bounds": {"lcb_stdevs": 3.0},
    "widening": {"widening": 0.7, "widening_exponent": 0.4},
    "sequential halving": {"num_considered_actions": 8},
    "other Gumbel constants": {"num_considered_actions": 5, "c_visit": 20.0, "c_scale": 0.3},
    "sequential halving with proven draws": {"num_considered_actions": 4, "prove_draws": True},
}
# King and pawn against king, where draws are near, and positions that repeat.
DRAWISH = (
    "8/8/8/8/8/k1p5/8/2K5 w - - 0 1",
    "8/8/8/8/8/3k4/2p5/2K5 w - - 90 80",
    "8/8/8/8/p7/P7/2k5/K7 w - - 98 80",
    "8/8/8/8/p7/P1k5/8/K7 w - - 99 80",
    "4k3/8/4PK2/8/8/8/8/8 b - - 0 1",
    "7k/8/8/8/8/8/8/KB4n1 w - - 97 90",
)
SHUFFLED = ("g1f3", "g8f6", "f3g1", "f6g8", "g1f3")  # of the start position


def drawish() -> list[Board]:
    boards = [*map(Board, DRAWISH), Board("7k/8/8/8/8/8/R7/K7 w - - 0 1"), Board()]
    for move in ("a2b2", "h8g8", "b2a2", "g8h8", "a2b2"):
        boards[-2].push(move)
    for move in SHUFFLED:
        boards[-1].push(move)
    return boards


def slow_evaluation(board: chess.Board, moves: list[chess.Move]) -> tuple[float, Floats]:
    logits, wdl = random_evaluation(np.ascontiguousarray(planes68(board)))
    legal = [az4672(move, board.turn) for move in moves]
    return float(wdl[0] - wdl[2]), softmax(logits[legal])


def search_slowly(
    board: Board, simulations: int, settings: dict[str, float]
) -> tuple[SlowTreeSearch, SlowNode]:
    search = SlowTreeSearch(slow_evaluation, SearchConfig.model_validate(settings))
    return search, search.search(board_of_python_chess(board), simulations)


def all_positions() -> list[Board]:
    return [*positions(), *drawish()]


@pytest.mark.parametrize("number", range(len(all_positions())))
@pytest.mark.parametrize("settings", OPTIONS.values(), ids=OPTIONS)
def test_every_option_visits_what_the_slow_search_visits(
    settings: dict[str, float], number: int
) -> None:
    board = all_positions()[number]
    search, (slow, root) = (
        search_core(board, 100, **settings),
        search_slowly(board, 100, settings),
    )
    order = root.by_prior
    moves, _, visits, priors, values, shares, _ = search.moves(SLOT)
    assert [uci_text(int(move)) for move in moves] == [root.moves[at].uci() for at in order]
    assert visits.tolist() == [root.visits_of(at) for at in order]
    assert root.priors is not None
    assert priors == pytest.approx(root.priors[order], rel=1e-4, abs=1e-7)
    wanted = [root.proof_of(at) or root.value_of(at) for at in order]
    assert values == pytest.approx(wanted, abs=1e-4)
    best, wdl, _, all_visits, mates = search.roots(SLOT)
    assert all_visits[0] == len(root.values)
    assert mates[0] == (root.result or 0) * root.plies_to_mate
    if root.result in (None, 0):
        assert wdl[0, 0] - wdl[0, 2] == pytest.approx(root.mean, abs=1e-4)
        assert uci_text(int(best[0])) == root.moves[slow.best(root)].uci()
        if "num_considered_actions" in settings:
            policy = slow.improved_policy(root)
            playable = [0.0 if root.loses(at) else policy[at] for at in order]
            assert shares == pytest.approx(np.array(playable) / sum(playable), abs=1e-4)


@pytest.mark.parametrize("settings", list(OPTIONS.values())[1:], ids=list(OPTIONS)[1:])
def test_every_option_makes_a_difference_somewhere(settings: dict[str, float]) -> None:
    """Else the comparison would not reach it."""

    def outcome(board: Board, **numbers: float) -> tuple[list[int], int]:
        search = search_core(board, 100, **numbers)
        return search.moves(SLOT)[2].tolist(), int(search.roots(SLOT)[0][0])

    assert any(outcome(board, **settings) != outcome(board) for board in all_positions())


def node_of(*children: tuple[float, list[float]], own: float = 0.0) -> SlowNode:
    """A searched node whose moves have these priors, and values for the side that plays them."""
    moves = list(chess.Board().legal_moves)[: len(children)]
    node = SlowNode(moves, set(), None, False, evaluation=own)
    node.priors = np.array([prior for prior, _ in children])
    node.values = [own]
    for at, (_, values) in enumerate(children):
        if values:
            opposite = [-value for value in values]
            node.children[at] = SlowNode([], set(), None, False, values=opposite)
            node.values += values
    return node


def slow(**settings: float) -> SlowTreeSearch:
    return SlowTreeSearch(slow_evaluation, SearchConfig.model_validate(settings))


def test_c_puct_by_hand() -> None:
    """The formulas of the slow search, which the core follows."""
    node = node_of((1.0, [0.0] * 100))
    assert slow().exploration(node, True) == pytest.approx(1.5 * 10)
    grown = slow(c_puct_factor=2.0, c_puct_base=50, root_c_puct=3.0)
    assert grown.exploration(node, False) == pytest.approx(36.9722458, rel=1e-6)  # 1.5 + 2 ln 3
    assert grown.exploration(node, True) == pytest.approx(51.9722458, rel=1e-6)
    node = node_of((1.0, [-1.0]), own=1.0)
    assert slow().stdev(node) == pytest.approx(0.8793937, rel=1e-6)  # sqrt((2 + 2 * 0.16) / 3)
    scaled = slow(c_puct_stdev_scale=0.5)
    assert scaled.exploration(node, False) == pytest.approx(1.5 * (0.5 + 0.5 * 0.8793937 / 0.4))


def test_lower_bounds_by_hand() -> None:
    """The second move has fewer visits, a higher value and the higher bound; the third too few."""
    node = node_of((0.5, [0.1] * 40), (0.3, [0.5] * 20), (0.2, [0.9] * 5))
    by_visits, by_bound = slow(), slow(lcb_stdevs=2.0)
    assert (by_visits.best(node), by_bound.best(node)) == (0, 1)
    # 0.5 - 2 * sqrt((20 * 0.25 + 2 * (0.25 + 0.16)) / 21 - 0.25) / sqrt(20)
    assert by_bound.lower_bound(node, 1) == pytest.approx(0.4263212, rel=1e-6)
    assert slow(lcb_stdevs=100.0).best(node) == 0


def test_the_improved_policy_by_hand() -> None:
    """Q of the unvisited move is v_mix = (0.2 + 3 * (0.5 * 0.4 - 0.3 * 0.2) / 0.8) / 4."""
    node = node_of((0.5, [0.4, 0.4]), (0.3, [-0.2]), (0.2, []), own=0.2)
    search = slow(num_considered_actions=2, c_visit=4.0, c_scale=0.5)
    assert search.completed_q(node) == pytest.approx([0.4, -0.2, 0.18125])
    # softmax(log prior + (4 + 2) * 0.5 * (Q + 1) / 2)
    weights = np.array([0.5 * np.exp(2.1), 0.3 * np.exp(1.2), 0.2 * np.exp(1.771875)])
    assert search.improved_policy(node) == pytest.approx(weights / weights.sum())


def test_sequential_halving_divides_simulations_as_the_paper_says() -> None:
    """Of 200 simulations 8 actions get 8 each, 4 get 16 more, 2 get 33 more, then the rest."""
    plan = halving_plan(8, 200)
    assert [plan.count(n) for n in (0, 7, 8, 23, 24, 59, 60)] == [8, 8, 4, 4, 2, 2, 0]
    visits = search_core(Board(), 200, num_considered_actions=8).moves(SLOT)[2]
    assert sorted(visits[visits > 0].tolist()) == [8, 8, 8, 8, 24, 24, 60, 60]


def root_priors(board: Board, seed: int, **settings: float) -> dict[str, float]:
    """The priors of the root's moves with noise."""
    search = TreeSearch(**settings)
    search.set(0, board)
    search.start(SLOT, 0, noise=True, seeds=np.array([seed], np.uint64))
    while search.gather(1):
        search.receive(np.array([[0.25, 0.5, 0.25]], np.float32))
    moves, _, _, priors, *_ = search.moves(SLOT)
    return dict(zip(map(uci_text, moves.tolist()), priors.tolist(), strict=True))


@pytest.mark.parametrize("alpha", [0.3, 1.0, 3.0])
def test_the_noise_at_the_root_has_the_dirichlet_distribution(alpha: float) -> None:
    """The quantiles of one move's share are those of NumPy's; all shares sum to one."""
    board, count = Board("7k/8/8/8/8/8/8/K7 w - - 0 1"), 4000  # three moves
    settings = {"dirichlet_alpha": alpha, "dirichlet_fraction": 1.0}
    noise = [root_priors(board, seed, **settings) for seed in range(count)]
    assert all(sum(one.values()) == pytest.approx(1, abs=1e-5) for one in noise)
    wanted = np.random.default_rng(1).dirichlet([alpha] * 3, 100_000)[:, 0]
    levels = np.linspace(0.05, 0.95, 10)
    for move in ("a1a2", "a1b1", "a1b2"):
        found = np.quantile([one[move] for one in noise], levels)
        assert found == pytest.approx(np.quantile(wanted, levels), abs=0.03)


def test_the_noise_is_mixed_into_the_priors() -> None:
    noise = root_priors(Board(), 3, dirichlet_fraction=1.0)
    mixed = root_priors(Board(), 3, dirichlet_fraction=0.25)
    assert mixed == {
        move: pytest.approx(0.75 / 20 + 0.25 * share, abs=1e-6) for move, share in noise.items()
    }


def test_gumbel_noise_draws_from_the_policy() -> None:
    """With one action considered, the argmax of logit + noise is a sample of the softmax."""
    board, count = Board("7k/8/8/8/8/8/8/K7 w - - 0 1"), 3000
    logits = np.zeros((1, ACTIONS), np.float32)
    wanted = {"a1a2": 0.6, "a1b1": 0.3, "a1b2": 0.1}
    for move, share in wanted.items():
        logits[0, az4672(chess.Move.from_uci(move), True)] = np.log(share)
    even = np.array([[0.25, 0.5, 0.25]], np.float32)
    drawn = dict.fromkeys(wanted, 0)
    for seed in range(count):
        search = TreeSearch(num_considered_actions=1)
        search.set(0, board)
        search.start(SLOT, 1, noise=True, seeds=np.array([seed], np.uint64))
        while search.gather(1):
            search.receive(even, logits)
        drawn[uci_text(int(search.roots(SLOT)[0][0]))] += 1
    assert {move: n / count for move, n in drawn.items()} == pytest.approx(wanted, abs=0.03)
