"""Held-out positions by kind, against python-chess."""

import chess
import numpy as np

from selfmate.data.held_out import held_out
from selfmate.encodings.records import encode_records
from selfmate.rules import Board
from unit.data.example_rows import boards


def test_kinds_are_what_python_chess_says() -> None:
    some = [*boards(150, plies=9), *boards(150, seed=2, plies=40), *boards(150, seed=3, plies=160)]
    some.append(Board("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3"))
    some.append(Board("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1"))
    found = held_out(encode_records(some), None, max_positions=1000)
    theirs = [chess.Board(board.fen()) for board in some]
    is_castling = [any(map(board.is_castling, board.legal_moves)) for board in theirs]
    expected = {
        "check": [board.is_check() for board in theirs],
        "castling": is_castling,
        "en_passant": [board.has_legal_en_passant() for board in theirs],
        "opening": [len(board.piece_map()) >= 25 for board in theirs],
        "endgame": [len(board.piece_map()) <= 12 for board in theirs],
    }
    for kind, flags in expected.items():
        assert found.rows[kind].tolist() == np.flatnonzero(flags).tolist(), kind
        assert any(flags), kind
    phases = np.concatenate([found.rows[kind] for kind in ("opening", "middlegame", "endgame")])
    assert sorted(phases.tolist()) == found.rows["all"].tolist() == list(range(len(some)))


def test_rare_kinds_get_more_rows_than_a_fair_sample_has() -> None:
    some = [*boards(30, plies=2), Board("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1")]
    found = held_out(encode_records(some), None, max_positions=4)
    assert found.rows["all"].tolist() == [0, 1, 2, 3]
    assert len(found.batch) == 5
    assert found.rows["castling"].tolist() == [4]
