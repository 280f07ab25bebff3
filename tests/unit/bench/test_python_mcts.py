"""The search in Python by itself; tests/oracle/test_tree_search.py compares it with the core."""

import chess
import pytest

from selfmate.searches.config import SearchConfig
from selfmate_benchmarks.peers.mcts import ending_value, uniform_mcts, visits_of

MATES = (
    ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8"),
    ("6rk/6pp/8/6N1/8/8/8/6K1 w - - 0 1", "g5f7"),
    ("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", "g1g7"),
)


@pytest.mark.parametrize(("fen", "mate"), MATES)
@pytest.mark.parametrize("batch", [1, 8])
def test_mates_are_found(fen: str, mate: str, batch: int) -> None:
    board = chess.Board(fen)
    root = uniform_mcts(SearchConfig(), batch=batch).search(board, 300)
    visits = visits_of(root)
    assert max(visits, key=lambda move: visits[move]) == mate
    assert board.fen() == fen


@pytest.mark.parametrize("batch", [1, 8])
def test_every_simulation_counts_once(batch: int) -> None:
    search = uniform_mcts(SearchConfig(), batch=batch)
    root = search.search(chess.Board(), 50)
    assert sum(visits_of(root).values()) == root.visits - 1 == root.begun == 50
    assert search.evaluations == 51  # no game ends here, and the root is evaluated as well


def test_drawn_and_mated_positions_have_their_values() -> None:
    values = {
        "7k/5KQ1/8/8/8/8/8/8 b - - 0 1": -1.0,
        "7k/5K2/6Q1/8/8/8/8/8 b - - 0 1": 0.0,
        "7k/8/8/8/8/8/8/K7 w - - 0 1": 0.0,
        "7k/8/8/8/8/8/8/KQ6 w - - 100 200": 0.0,
        "7k/8/8/8/8/8/8/KQ6 w - - 99 200": None,
    }
    for fen, value in values.items():
        board = chess.Board(fen)
        assert ending_value(board, list(board.legal_moves)) == value
