"""Distances to mate by retrograde analysis, against forward iteration with the rule book and known
facts about these endgames."""

from collections.abc import Iterator

import chess
import numpy as np
import pytest
from numpy.typing import NDArray

from selfmate.encodings.records import RECORD_BYTES, legal_of
from selfmate.searches.endgame_tables import NOT_WON, Piece, endgame_table

CODES = {"rook": 4, "queen": 5}  # in position records; White's king has 6, Black's 12
FLAGS, EN_PASSANT, FULL_MOVES = 56, 57, 60
Index = NDArray[np.int64]


RAYS = {
    "rook": ((0, 1), (0, -1), (1, 0), (-1, 0)),
    "queen": tuple((x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y),
}


def walk(square: int, step: tuple[int, int], blocked_by: int) -> Iterator[int]:
    """The squares of a ray, up to and including the first blocked one."""
    file, rank = square % 8 + step[0], square // 8 + step[1]
    while 0 <= file < 8 and 0 <= rank < 8:
        yield rank * 8 + file
        if rank * 8 + file == blocked_by:
            return
        file, rank = file + step[0], rank + step[1]


def attacked_squares(piece: Piece) -> NDArray[np.bool_]:
    """[king, piece, square] Squares attacked by White, ignoring Black's king."""
    found = np.zeros((64, 64, 64), np.bool_)
    for king, other in np.ndindex(64, 64):
        for step in RAYS["queen"]:
            found[king, other, list(walk(king, step, king))[:1]] = True
        for step in RAYS[piece]:
            found[king, other, list(walk(other, step, king))] = True
    return found.reshape(-1)


def legal_positions(attacked: NDArray[np.bool_], side: int) -> Index:
    """Three different squares, kings apart; Black's king is not attacked with White to move."""
    index = np.arange(64**3)
    king, other, lone = index >> 12, index >> 6 & 63, index & 63
    apart = np.maximum(np.abs(king % 8 - lone % 8), np.abs(king // 8 - lone // 8)) > 1
    good = (king != other) & (other != lone) & apart
    found: Index = index[good & ~attacked] if side == 0 else index[good]
    return found


def records_of(piece: Piece, index: Index, side: int) -> NDArray[np.uint8]:
    rows = np.zeros((len(index), RECORD_BYTES), np.uint8)
    for squares, code in ((index >> 12, 6), (index >> 6 & 63, CODES[piece]), (index & 63, 12)):
        rows[np.arange(len(index)), squares // 2] |= (code << (squares % 2 * 4)).astype(np.uint8)
    rows[:, FLAGS], rows[:, EN_PASSANT], rows[:, FULL_MOVES] = side, 64, 1
    return rows


def children(piece: Piece, index: Index, side: int) -> tuple[Index, Index]:
    """Positions after every legal move of the rule book, with offsets; -1 after a capture."""
    legal = legal_of("from_to4096", records_of(piece, index, side))
    actions, offsets = legal.values, legal.offsets
    before = np.repeat(index, np.diff(offsets))
    start, end = actions.astype(np.int64) // 64, actions.astype(np.int64) % 64
    king, other, lone = before >> 12, before >> 6 & 63, before & 63
    if side == 1:
        return np.where(end == other, -1, king << 12 | other << 6 | end), offsets
    moved_king = end << 12 | other << 6 | lone
    return np.where(start == king, moved_king, king << 12 | end << 6 | lone), offsets


def forwards(piece: Piece) -> NDArray[np.float64]:
    """[2, 64 ** 3] Iterates the shortest distance over White's moves and the longest over Black's
    until nothing changes."""
    attacked = attacked_squares(piece)
    white, black = (legal_positions(attacked, side) for side in (0, 1))
    (after, offsets), (answers, starts) = children(piece, white, 0), children(piece, black, 1)
    can_move = np.diff(starts) > 0
    values = np.full((2, 64**3 + 1), np.inf)  # the last entry: the piece was captured
    values[1, black[~can_move & attacked[black]]] = 0
    while True:
        before = values.copy()
        values[0, white] = 1 + np.minimum.reduceat(values[1, after], offsets[:-1])
        longest = 1 + np.maximum.reduceat(values[0, answers], starts[:-1][can_move])
        values[1, black[can_move]] = longest
        if np.array_equal(values, before):
            return values[:, :-1]


@pytest.mark.parametrize(
    ("piece", "moves_to_mate", "mates"), [("queen", 10, 364), ("rook", 16, 216)]
)
def test_both_methods_agree_with_known_facts(piece: Piece, moves_to_mate: int, mates: int) -> None:
    table = endgame_table(piece).reshape(2, -1)
    expected = forwards(piece)
    assert np.array_equal(np.where(table == NOT_WON, np.inf, table), expected)
    assert table[0][table[0] != NOT_WON].max() == 2 * moves_to_mate - 1
    assert (table[1] == 0).sum() == mates


def distance_of(board: chess.Board) -> int:
    """Of king and two bishops, White's, against king."""
    (king,) = board.pieces(chess.KING, chess.WHITE)
    (lone,) = board.pieces(chess.KING, chess.BLACK)
    bishops = board.pieces(chess.BISHOP, chess.WHITE)
    if len(bishops) < 2:
        return NOT_WON
    first, second = bishops
    side = 0 if board.turn == chess.WHITE else 1
    return int(endgame_table("bishops")[side, king, first, second, lone])


def next_distances(board: chess.Board) -> list[int]:
    found = []
    for move in board.legal_moves:
        board.push(move)
        found.append(distance_of(board))
        board.pop()
    return found


def test_two_bishops_agree_with_the_moves_of_python_chess() -> None:
    rng = np.random.default_rng(1)
    checked = 0
    while checked < 3000:
        king, first, second, lone = rng.choice(64, 4, replace=False).tolist()
        board = chess.Board(None)
        for square, piece in ((king, "K"), (first, "B"), (second, "B"), (lone, "k")):
            board.set_piece_at(square, chess.Piece.from_symbol(piece))
        board.turn = bool(rng.integers(2))
        if not board.is_valid():
            continue
        checked += 1
        after, distance = next_distances(board), distance_of(board)
        if not after:
            assert distance == (0 if board.is_check() else NOT_WON)
            continue
        best = min(after) if board.turn == chess.WHITE else max(after)
        assert distance == (NOT_WON if best == NOT_WON else best + 1), board.fen()


def test_two_bishops_mate_within_nineteen_moves() -> None:
    table = endgame_table("bishops")[0]
    won = table[table != NOT_WON]
    assert won.max() == 2 * 19 - 1
    first, second = np.indices((64, 64))
    same_colour = (first + first // 8 + second + second // 8) % 2 == 0
    assert (table[:, same_colour] == NOT_WON).all()


def test_other_pieces_are_refused() -> None:
    with pytest.raises(ValueError, match="for queen, rook and bishops, not for 'knights'"):
        endgame_table("knights")
