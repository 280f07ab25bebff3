"""The kinds of moves that a Q-net knows, against python-chess."""

import chess
import numpy as np
import pytest

from oracle.positions import SHARDS, random_games, wanted_positions
from selfmate.encodings.features import (
    MOVE_ROWS,
    encode_packed,
    flipped_legal_actions,
    move_rows,
)
from selfmate.rules import Board, Ragged

POSITIONS = wanted_positions(4000) // SHARDS
FIRST_DESTINATION, FIRST_KIND = 4096, 4096 + 6 * 64
FIRST_BARGAIN = FIRST_KIND + 5184
RANKS = {
    chess.PAWN: 1,
    chess.KNIGHT: 2,
    chess.BISHOP: 2,
    chess.ROOK: 3,
    chess.QUEEN: 4,
    chess.KING: 5,
}


def least_rank(board: chess.Board, squares: chess.SquareSet) -> int:
    return min((RANKS[board.piece_type_at(s) or chess.PAWN] for s in squares), default=0)


class Step:
    """A move by White: what it takes, and the board afterwards, on which a pawn became a queen."""

    def __init__(self, board: chess.Board, action: int) -> None:
        self.origin, self.destination = divmod(action, 64)
        self.mover = board.piece_type_at(self.origin) or chess.PAWN
        self.board, self.after = board, board.copy(stack=False)
        self.after.remove_piece_at(self.origin)
        taken = None
        if board.color_at(self.destination) == chess.BLACK:
            taken = board.piece_type_at(self.destination)
        elif board.is_en_passant(chess.Move(self.origin, self.destination)):
            taken = chess.PAWN
            self.after.remove_piece_at(self.destination - 8)
        self.taken = taken or 0
        queens = self.mover == chess.PAWN and chess.square_rank(self.destination) == 7
        piece = chess.Piece(chess.QUEEN if queens else self.mover, chess.WHITE)
        self.after.set_piece_at(self.destination, piece)
        king = self.after.king(chess.BLACK)
        self.is_check = king is not None and self.after.is_attacked_by(chess.WHITE, king)

    def kind(self) -> int:
        threat = least_rank(self.board, self.board.attackers(chess.BLACK, self.origin))
        takers = self.after.attackers(chess.BLACK, self.destination)
        return number(
            (6, self.mover - 1),
            (6, self.taken),
            (6, least_rank(self.after, takers)),
            (2, bool(self.after.attackers(chess.WHITE, self.destination))),
            (3, 0 if not threat else 1 if threat < RANKS[self.mover] else 2),
            (2, bool(self.board.attackers(chess.WHITE, self.origin))),
            (2, self.is_check),
        )

    def bargain(self) -> int:
        self.after.set_piece_at(self.destination, chess.Piece(self.mover, chess.WHITE))
        attacked = [
            type_
            for type_ in chess.PIECE_TYPES
            for square in self.after.pieces(type_, chess.WHITE)
            if self.after.is_attacked_by(chess.BLACK, square)
        ]
        most = min(max(attacked, default=0), chess.QUEEN)  # a king there is one that castles
        return number((6, self.mover - 1), (6, self.taken), (6, most), (2, self.is_check))


def number(*digits: tuple[int, int]) -> int:
    """Of digits, each with its base."""
    found = 0
    for base, digit in digits:
        found = base * found + int(digit)
    return found


def rows(board: chess.Board, action: int) -> tuple[int, ...]:
    step = Step(board, action)
    destination = FIRST_DESTINATION + 64 * (step.mover - 1) + step.destination
    return action, destination, FIRST_KIND + step.kind(), FIRST_BARGAIN + step.bargain()


@pytest.mark.parametrize("chess960", [False, True])
@pytest.mark.parametrize("shard", range(SHARDS))
def test_rows_of_moves_are_those_of_python_chess(shard: int, chess960: bool) -> None:
    for game in random_games(shard, POSITIONS // 2, chess960=chess960):
        board = Board(game.shredder_fen() if chess960 else game.fen(), chess960=chess960)
        black = np.array([game.turn == chess.BLACK])
        actions = flipped_legal_actions([board], black)
        view = game.mirror() if game.turn == chess.BLACK else game
        expected = [rows(view, action) for action in actions.values.tolist()]
        found = move_rows(encode_packed([board]), actions)
        assert list(map(tuple, found.tolist())) == expected, game.fen()


def test_every_row_has_a_place_in_the_table() -> None:
    """Also of positions that nobody packed, and of moves that are not legal."""
    rng = np.random.default_rng(1)
    packed = rng.integers(256, size=(64, 107), dtype=np.uint8)
    packed[:8] = 0
    actions = np.tile(np.arange(4096, dtype=np.int32), len(packed))
    found = move_rows(packed, Ragged(actions, 4096 * np.arange(len(packed) + 1)))
    bounds = (0, FIRST_DESTINATION, FIRST_KIND, FIRST_BARGAIN, MOVE_ROWS)
    assert (found >= bounds[:-1]).all()
    assert (found < bounds[1:]).all()
