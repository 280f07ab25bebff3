"""Scores of moves by exact tables, against the slow definition with python-chess's moves."""

import chess
import numpy as np
import pytest

from selfmate.arena.endgames import distances, won_positions
from selfmate.rules import Board, uci_text
from selfmate.searches.endgame_tables import PIECES, Piece, exact_scores, rows_by_table
from selfmate.searches.teacher import MATE_CENTIPAWNS


def scores_of(board: Board, piece: Piece, *, is_stronger: bool) -> dict[str, int]:
    scores = exact_scores([board], piece, is_stronger=is_stronger)
    return {
        uci_text(int(move)): int(cp)
        for move, cp in zip(scores.moves, scores.centipawns, strict=True)
    }


@pytest.mark.parametrize("piece", PIECES)
def test_the_best_move_keeps_the_distance_to_mate(piece: Piece) -> None:
    boards = won_positions(piece, 60, 3)
    plies = distances(piece, boards)
    scores = exact_scores(boards, piece, is_stronger=True)
    best = np.maximum.reduceat(scores.centipawns, scores.offsets[:-1])
    assert (MATE_CENTIPAWNS - best).tolist() == plies.tolist()


@pytest.mark.parametrize("piece", PIECES)
def test_scores_are_those_of_the_positions_that_follow(piece: Piece) -> None:
    for board in won_positions(piece, 12, 4):
        scored = scores_of(board, piece, is_stronger=True)
        assert sorted(scored) == sorted(m.uci() for m in chess.Board(board.fen()).legal_moves)
        for move, cp in scored.items():
            after = board.copy()
            after.push(move)
            outcome = after.outcome()
            if outcome is not None:
                assert cp == (MATE_CENTIPAWNS - 1 if outcome.winner else 0)
                continue
            replies = scores_of(after, piece, is_stronger=False).values()
            # The bare king takes a piece, or delays mate as long as it can.
            best = max(replies)
            assert cp == (0 if best == 0 else -best - 1)


def test_boards_are_found_by_their_pieces() -> None:
    fens = [
        "8/8/8/8/8/2k5/8/K6Q w - - 0 1",
        "8/8/8/8/8/2k5/8/K6Q b - - 0 1",
        "8/8/8/8/8/2k5/8/K6r w - - 0 1",
        "8/8/8/8/8/2k5/8/K4BB1 w - - 0 1",
        "8/8/8/8/8/2k5/8/K4BN1 w - - 0 1",
        "8/8/8/8/8/2k3b1/8/K4B2 w - - 0 1",
        chess.STARTING_FEN,
    ]
    found = rows_by_table([Board(fen) for fen in fens])
    assert {key: rows.tolist() for key, rows in found.items() if len(rows)} == {
        ("queen", True): [0],
        ("queen", False): [1],
        ("rook", False): [2],
        ("bishops", True): [3],
    }
