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
FIRST_CHECKS = FIRST_BARGAIN + 432
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
        self.after.turn, self.after.ep_square = chess.BLACK, None
        self.after.castling_rights = chess.BB_EMPTY
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
        return number((6, self.mover - 1), (6, self.taken), (6, self.loss()), (2, self.is_check))

    def loss(self) -> int:
        """The most valuable piece that Black takes by a legal move; a queen for a new queen."""
        losses = [0]
        for move in replies(self.after):
            victim = self.after.piece_type_at(move.to_square) or 0
            losses.append(chess.QUEEN if move.promotion else victim)
        return max(each for each in losses if each != chess.KING)  # one that castles

    def checks(self) -> int:
        peril = 0
        if not self.is_check:
            for move in replies(self.after):
                if move.promotion not in (None, chess.QUEEN):
                    continue
                reply = self.after.copy(stack=False)
                reply.push(move)
                king = reply.king(chess.WHITE)
                if king is not None and is_by_the_moved_piece(reply, move, king):
                    peril = max(peril, check_strength(reply))
        return number((6, self.mover - 1), (5, check_strength(self.after)), (5, peril))


def replies(after: chess.Board) -> list[chess.Move]:
    """Black's legal moves, but for castling, double steps and en passant, which the rows leave
    out."""
    return [move for move in after.legal_moves if not is_double_step(after, move)]


def is_double_step(board: chess.Board, move: chess.Move) -> bool:
    is_pawn = board.piece_type_at(move.from_square) == chess.PAWN
    return is_pawn and chess.square_distance(move.from_square, move.to_square) == 2


def is_by_the_moved_piece(reply: chess.Board, move: chess.Move, king: int) -> bool:
    return king in reply.attacks(move.to_square)


def check_strength(board: chess.Board) -> int:
    """What the side to move can do against check, as if none of its pieces were pinned."""
    king = board.king(board.turn)
    checkers = board.attackers(not board.turn, king) if king is not None else chess.SquareSet()
    if king is None or not checkers:
        return 0
    others = ~chess.SquareSet.from_square(king)
    checker = checkers.pop() if len(checkers) == 1 else None
    if checker is not None and board.attackers(board.turn, checker) & others:
        return 1
    without = board.copy(stack=False)
    without.remove_piece_at(king)
    for square in board.attacks(king):
        is_own = board.color_at(square) == board.turn
        if not is_own and not without.is_attacked_by(not board.turn, square):
            return 2
    if checker is not None and any(
        can_come(board, square) for square in chess.SquareSet.between(king, checker)
    ):
        return 3
    return 4


def can_come(board: chess.Board, square: int) -> bool:
    """Whether a piece of the side to move, but its king, reaches an empty square in one step."""
    behind = square - 8 if board.turn == chess.WHITE else square + 8
    pawns = board.pieces(chess.PAWN, board.turn)
    if behind in chess.SQUARES and behind in pawns:
        return True
    pieces = [board.piece_type_at(each) for each in board.attackers(board.turn, square)]
    return any(piece not in (chess.PAWN, chess.KING) for piece in pieces)


def number(*digits: tuple[int, int]) -> int:
    """Of digits, each with its base."""
    found = 0
    for base, digit in digits:
        found = base * found + int(digit)
    return found


def rows(board: chess.Board, action: int) -> tuple[int, ...]:
    step = Step(board, action)
    return (
        action,
        FIRST_DESTINATION + 64 * (step.mover - 1) + step.destination,
        FIRST_KIND + step.kind(),
        FIRST_BARGAIN + step.bargain(),
        FIRST_CHECKS + step.checks(),
    )


@pytest.mark.parametrize("chess960", [False, True])
@pytest.mark.parametrize("shard", range(SHARDS))
def test_rows_of_moves_are_those_of_python_chess(shard: int, chess960: bool) -> None:
    for game in random_games(shard, POSITIONS // 2, chess960=chess960):
        board = Board(game.shredder_fen() if chess960 else game.fen(), chess960=chess960)
        black = np.array([game.turn == chess.BLACK])
        actions = flipped_legal_actions([board], black)
        view = game.mirror() if game.turn == chess.BLACK else game
        found = move_rows(encode_packed([board]), actions)
        for action, each in zip(actions.values.tolist(), found.tolist(), strict=True):
            # A king that castles onto its rook may stand in check there: no position of the rules.
            compared = 4 if view.color_at(action & 63) == chess.WHITE else 5
            assert tuple(each[:compared]) == rows(view, action)[:compared], game.fen()


def test_every_row_has_a_place_in_the_table() -> None:
    """Also of positions that nobody packed, and of moves that are not legal."""
    rng = np.random.default_rng(1)
    packed = rng.integers(256, size=(64, 107), dtype=np.uint8)
    packed[:8] = 0
    actions = np.tile(np.arange(4096, dtype=np.int32), len(packed))
    found = move_rows(packed, Ragged(actions, 4096 * np.arange(len(packed) + 1)))
    bounds = (0, FIRST_DESTINATION, FIRST_KIND, FIRST_BARGAIN, FIRST_CHECKS, MOVE_ROWS)
    assert (found >= bounds[:-1]).all()
    assert (found < bounds[1:]).all()
