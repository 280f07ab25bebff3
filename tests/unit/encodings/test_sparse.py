"""Sparse inputs against the dense encodings, and counts against python-chess."""

import chess
import numpy as np
import pytest
from numpy.typing import NDArray

from selfmate.encodings import encode, legal_move136
from selfmate.encodings.features import (
    POSITION_INPUTS,
    is_white_to_move,
    legal_move_rows,
    position_rows,
)
from selfmate.rules import Board, GameBatch, SparseRows


@pytest.fixture(scope="module")
def boards() -> list[Board]:
    batch = GameBatch(40, seed=2)
    for _ in range(51):
        batch.step(batch.random_moves())
    lone_kings = Board("8/8/4k3/8/8/3K4/8/8 b - - 0 1")
    return [lone_kings, *(batch.board(slot) for slot in range(40)), Board()]


def dense(rows: SparseRows, width: int) -> NDArray[np.float32]:
    found = np.zeros((len(rows), width), np.float32)
    for row in range(len(rows)):
        place = slice(rows.offsets[row], rows.offsets[row + 1])
        found[row, rows.columns[place]] = rows.values[place]
    return found


def test_rows_hold_what_the_encodings_hold(boards: list[Board]) -> None:
    np.testing.assert_array_equal(
        dense(position_rows("onehot768", boards), 768), encode("onehot768", boards)
    )
    rows, offsets = legal_move_rows("onehot768", boards)
    expected, expected_offsets = legal_move136(boards)
    np.testing.assert_array_equal(dense(rows, 136), expected)
    np.testing.assert_array_equal(offsets, expected_offsets)


def test_counts_are_of_pieces_and_the_turn(boards: list[Board]) -> None:
    found = dense(position_rows("counts", boards), POSITION_INPUTS["counts"])
    for row, white, board in zip(found, is_white_to_move(boards), boards, strict=True):
        other = chess.Board(board.fen())
        pieces = [
            len(other.pieces(piece, colour))
            for colour in (chess.WHITE, chess.BLACK)
            for piece in chess.PIECE_TYPES
        ]
        assert row.tolist() == [*pieces, other.turn]
        assert white == other.turn


def test_turned_rows_are_those_of_the_mirrored_position(boards: list[Board]) -> None:
    """With White to move nothing is turned; with Black it is as python-chess mirrors the board."""
    for board in boards:
        seen = board if board.turn == "white" else Board(chess.Board(board.fen()).mirror().fen())
        np.testing.assert_array_equal(
            dense(position_rows("turned768", [board]), 768), encode("onehot768", [seen])
        )
        moves, _ = legal_move_rows("turned768", [board])
        expected, _ = legal_move136([seen])
        assert sorted(dense(moves, 136).tolist()) == sorted(expected.tolist())


def test_turned_rows_do_not_depend_on_their_company(boards: list[Board]) -> None:
    moves, offsets = legal_move_rows("turned768", boards)
    together = dense(moves, 136)
    alone = [dense(legal_move_rows("turned768", [board])[0], 136) for board in boards]
    np.testing.assert_array_equal(together, np.concatenate(alone))
    assert np.diff(offsets).tolist() == [*map(len, alone)]
    np.testing.assert_array_equal(
        dense(position_rows("turned768", boards), 768),
        np.concatenate([dense(position_rows("turned768", [board]), 768) for board in boards]),
    )
