"""What the search in Python shows its net is what the core shows ours."""

import chess
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from selfmate.bench.planes_in_python import actions, planes68
from selfmate.encodings import encode, legal_actions
from selfmate.rules import Board, GameRecords, random_games, uci_text

GAMES = random_games(40, seed=3)
FENS = (
    "3r3k/4P3/8/8/8/8/8/K7 w - - 0 1",
    "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
    "8/8/8/8/1p6/8/P7/k1K5 b - - 98 250",
)


def line_of(records: GameRecords, number: int) -> list[str]:
    rows = slice(records.offsets[number], records.offsets[number + 1])
    return [uci_text(int(move)) for move in records.moves[rows]]


def assert_alike(ours: Board, theirs: chess.Board) -> None:
    np.testing.assert_array_equal(planes68(theirs), encode("planes68", [ours])[0])
    moves = list(theirs.legal_moves)
    legal, _ = legal_actions("az4672", [ours])
    assert sorted(actions(moves, theirs.turn)) == sorted(legal.tolist())


@given(number=st.integers(0, 39), share=st.floats(0, 1))
def test_planes_and_actions_are_alike(number: int, share: float) -> None:
    line = line_of(GAMES, number)
    ours, theirs = Board(), chess.Board()
    for move in line[: int(share * len(line))]:
        ours.push(move)
        theirs.push_uci(move)
    assert_alike(ours, theirs)


def test_rare_things_are_alike() -> None:
    for fen in FENS:
        assert_alike(Board(fen), chess.Board(fen))


def test_repetitions_are_alike() -> None:
    ours, theirs = Board(), chess.Board()
    for move in ("g1f3", "g8f6", "f3g1", "f6g8") * 2:
        assert_alike(ours, theirs)
        ours.push(move, past_draw=True)
        theirs.push_uci(move)
    assert_alike(ours, theirs)
