"""The core's tree search against one that is written plainly, visit by visit."""

import hashlib

import numpy as np
import pytest
from numpy.typing import NDArray

from oracle.slow_tree import SlowSearch
from selfmate._core import TreeSearch
from selfmate.encodings import encode, legal_actions
from selfmate.rules import Board, random_games, uci_text

ACTIONS = 4672
SLOT = np.zeros(1, np.int64)
FORCED_MATE = "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1"
BARE = "8/8/8/4k3/8/8/4P3/4K3 w - - 96 80"  # the fifty-move rule is near


def opinion(planes: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Logits of all actions and chances, by chance, but always the same for the same planes."""
    dice = np.random.default_rng(
        int.from_bytes(hashlib.sha256(planes.tobytes()).digest()[:8], "little")
    )
    wdl = dice.dirichlet(np.ones(3)).astype(np.float32)
    return dice.normal(size=ACTIONS).astype(np.float32) * 2, wdl


def slow_opinion(board: Board) -> tuple[dict[str, float], NDArray[np.float32]]:
    logits, wdl = opinion(encode("planes68", [board])[0])
    actions, _ = legal_actions("az4672", [board])
    return dict(zip(board.legal_moves(), logits[actions].tolist(), strict=True)), wdl


def searched(board: Board, simulations: int, **settings: float) -> TreeSearch:
    search = TreeSearch(**settings)  # type: ignore[arg-type]
    search.set(0, board)
    search.start(SLOT, simulations, noise=False, seeds=np.zeros(1, np.uint64))
    run(search)
    return search


def run(search: TreeSearch, batch: int = 8) -> None:
    planes = np.zeros((batch, 68, 8, 8), np.float32)
    while count := search.gather(batch, planes):
        opinions = [opinion(one) for one in planes[:count]]
        search.receive(
            np.stack([wdl for _, wdl in opinions]), np.stack([logits for logits, _ in opinions])
        )


def positions() -> list[Board]:
    """Of random games, early and late."""
    games = random_games(12, seed=5, max_plies=200)
    boards = []
    for number, moves in enumerate(games.uci(n) for n in range(len(games))):
        board = Board()
        for move in moves[: 3 + 13 * number]:
            board.push(move)
        if board.outcome() is None:
            boards.append(board)
    return [*boards, Board(FORCED_MATE), Board(BARE)]


@pytest.mark.parametrize("number", range(len(positions())))
def test_visits_and_values_are_those_of_the_slow_search(number: int) -> None:
    board = positions()[number]
    search = searched(board, 150)
    root = SlowSearch(slow_opinion).run(board, 150)
    moves, _, visits, priors, values, _, _ = search.moves(SLOT)
    slow = {edge.move: edge for edge in root.edges}
    assert [uci_text(int(move)) for move in moves] == list(slow)
    assert visits.tolist() == [edge.visits for edge in slow.values()]
    assert priors == pytest.approx([edge.prior for edge in slow.values()], abs=1e-6)
    for value, edge in zip(values.tolist(), slow.values(), strict=True):
        wanted = edge.proven or (edge.value_sum / edge.visits if edge.visits else 0.0)
        assert value == pytest.approx(wanted, abs=1e-4)
    best, wdl, best_wdl, all_visits, mates = search.roots(SLOT)
    played = slow[uci_text(int(best[0]))]
    played_value = played.proven or played.value_sum / played.visits
    assert best_wdl[0, 0] - best_wdl[0, 2] == pytest.approx(played_value, abs=1e-4)
    assert all_visits[0] == root.visits
    assert mates[0] == root.proven * root.plies_to_mate
    assert wdl[0].sum() == pytest.approx(1, abs=1e-5)
    if not root.proven:
        assert wdl[0, 0] - wdl[0, 2] == pytest.approx(root.value, abs=1e-4)
