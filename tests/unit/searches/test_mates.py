"""Mates in one against python-chess."""

import chess
import numpy as np

from selfmate.encodings import legal_actions
from selfmate.encodings.features import gives_check, legal_move_rows
from selfmate.rules import Board, GameBatch, Ragged
from selfmate.searches.sampling import is_mate

MATES_IN_ONE = (
    "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1",
    "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1",
    "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2",
    "7k/4P1pp/8/8/8/8/8/K7 w - - 0 1",
)


def test_mates_are_those_of_python_chess() -> None:
    batch = GameBatch(60, seed=5)
    for _ in range(70):
        batch.step(batch.random_moves())
    boards = [*map(Board, MATES_IN_ONE), *(batch.board(slot) for slot in range(60))]
    legal, checks = (
        Ragged(*legal_actions("uci1968", boards)),
        gives_check(legal_move_rows("onehot768", boards)[0]),
    )
    found = is_mate("uci1968", boards, legal, checks)
    for row, board in enumerate(boards):
        places = range(legal.offsets[row], legal.offsets[row + 1])
        for place, move in zip(places, board.legal_moves(), strict=True):
            after = chess.Board(board.fen())
            assert checks[place] == after.gives_check(chess.Move.from_uci(move))
            after.push_uci(move)
            assert found[place] == after.is_checkmate()
    assert found.sum() >= len(MATES_IN_ONE)


def test_there_may_be_no_check_at_all() -> None:
    legal = Ragged(*legal_actions("uci1968", [Board()]))
    assert not is_mate("uci1968", [Board()], legal, np.zeros(20, np.bool_)).any()
