"""What a sparse net sees of positions and moves, against python-chess."""

import chess
import numpy as np
import pytest

from oracle.positions import SHARDS, random_games, wanted_positions
from selfmate.encodings import legal_actions
from selfmate.encodings.features import VIEW_MOVE_ROWS, encode_packed, view_move_rows, views_of
from selfmate.rules import Board, Ragged, uci_text

POSITIONS = wanted_positions(2000) // SHARDS
FIRST_PIECE, FIRST_KIND = 4096, 4096 + 9 * 64
VALUES = {
    chess.PAWN: 1,
    chess.KNIGHT: 2,
    chess.BISHOP: 2,
    chess.ROOK: 3,
    chess.QUEEN: 4,
    chess.KING: 5,
}


def seen_by(board: chess.Board, color: chess.Color) -> tuple[chess.Board, bool]:
    """The board with `color` as White, and whether its files are mirrored: White's king is then on
    the files e to h. Castling rights stay as they were named."""
    view = board.copy(stack=False) if color == chess.WHITE else board.mirror()
    king = view.king(chess.WHITE)
    is_left = king is not None and chess.square_file(king) < 4
    return view, is_left


def king_bucket(square: int) -> int:
    if chess.square_rank(square) == 0:
        return int(chess.square_file(square) >= 6)
    return 2 if chess.square_rank(square) == 1 else 3


def features(board: chess.Board, color: chess.Color, buckets: int, attacks: bool) -> set[int]:
    view, is_left = seen_by(board, color)
    mirror = 7 if is_left else 0
    king = view.king(chess.WHITE)
    assert king is not None
    bucket = king_bucket(king ^ mirror) if buckets == 4 else 0
    states = 4 if attacks else 1
    found = set()
    for square, piece in view.piece_map().items():
        number = piece.piece_type - 1 + (0 if piece.color == chess.WHITE else 6)
        state = 0
        if attacks:
            state = int(view.is_attacked_by(chess.WHITE, square))
            state += 2 * int(view.is_attacked_by(chess.BLACK, square))
        found.add(((bucket * states + state) * 12 + number) * 64 + (square ^ mirror))
    rights = [
        view.has_kingside_castling_rights(chess.WHITE),
        view.has_queenside_castling_rights(chess.WHITE),
        view.has_kingside_castling_rights(chess.BLACK),
        view.has_queenside_castling_rights(chess.BLACK),
    ]
    return found | {buckets * states * 768 + i for i, right in enumerate(rights) if right}


def least(board: chess.Board, squares: chess.SquareSet) -> int:
    return min((VALUES[board.piece_type_at(s) or chess.PAWN] for s in squares), default=0)


def rows(board: chess.Board, move: chess.Move) -> tuple[int, int, int]:
    """Of a move of White, on a board whose files are not mirrored yet."""
    mirror = 7 if seen_by(board, chess.WHITE)[1] else 0
    origin, destination = move.from_square, move.to_square
    mover = board.piece_type_at(origin) or chess.PAWN
    piece = mover - 1
    if move.promotion not in (None, chess.QUEEN):
        piece = 6 + (move.promotion or 0) - chess.KNIGHT
    return (
        64 * (origin ^ mirror) + (destination ^ mirror),
        FIRST_PIECE + 64 * piece + (destination ^ mirror),
        FIRST_KIND + kind(board, move, mover),
    )


def kind(board: chess.Board, move: chess.Move, mover: int) -> int:
    origin, destination = move.from_square, move.to_square
    taken = 0
    if board.color_at(destination) == chess.BLACK:
        taken = min(board.piece_type_at(destination) or 0, chess.QUEEN)
    elif board.is_en_passant(move):
        taken = chess.PAWN
    own = board.attackers(chess.WHITE, destination)
    is_step = mover == chess.PAWN and chess.square_file(origin) == chess.square_file(destination)
    threat = least(board, board.attackers(chess.BLACK, origin))
    digits = (
        (6, mover - 1),
        (6, taken),
        (6, least(board, board.attackers(chess.BLACK, destination))),
        (2, int(len(own) >= (1 if is_step else 2))),
        (3, 0 if not threat else 1 if threat < VALUES[mover] else 2),
        (2, int(bool(board.attackers(chess.WHITE, origin)))),
        (2, int(seems_check(board, move, mover))),
    )
    found = 0
    for base, digit in digits:
        found = base * found + digit
    return found


def seems_check(board: chess.Board, move: chess.Move, mover: int) -> bool:
    """By the piece that moves, as if its origin were still occupied, or by one behind it."""
    king = board.king(chess.BLACK)
    assert king is not None
    queens = mover == chess.PAWN and chess.square_rank(move.to_square) == 7
    then = board.copy(stack=False)
    then.set_piece_at(move.to_square, chess.Piece(chess.QUEEN if queens else mover, chess.WHITE))
    if king in then.attacks(move.to_square):
        return True
    without = board.copy(stack=False)
    without.remove_piece_at(move.from_square)
    behind = without.attackers(chess.WHITE, king) - board.attackers(chess.WHITE, king)
    on_line = move.to_square in chess.SquareSet.ray(king, move.from_square)
    return bool(behind) and not on_line


@pytest.mark.parametrize(("buckets", "attacks"), [(1, False), (1, True), (4, True)])
@pytest.mark.parametrize("shard", range(SHARDS))
def test_views_are_those_of_python_chess(shard: int, buckets: int, attacks: bool) -> None:
    for game in random_games(shard, POSITIONS // 3):
        packed = encode_packed([Board(game.fen())])
        found = views_of(packed, king_buckets=buckets, attacks=attacks)
        mine, theirs = np.split(found.columns, found.offsets[1:-1])
        assert set(mine.tolist()) == features(game, game.turn, buckets, attacks)
        assert set(theirs.tolist()) == features(game, not game.turn, buckets, attacks)


@pytest.mark.parametrize("shard", range(SHARDS))
def test_rows_of_moves_are_those_of_python_chess(shard: int) -> None:
    for game in random_games(shard, POSITIONS // 2):
        board = Board(game.fen())
        actions = Ragged(*legal_actions("az4672", [board]))
        if not len(actions.values):
            continue
        found = view_move_rows(encode_packed([board]), "az4672", actions)
        view = game.mirror() if game.turn == chess.BLACK else game
        for move, row in zip(board.legal_moves(), found.tolist(), strict=True):
            uci = chess.Move.from_uci(uci_text(move) if isinstance(move, int) else move)
            if game.turn == chess.BLACK:
                origin, destination = map(chess.square_mirror, (uci.from_square, uci.to_square))
                uci = chess.Move(origin, destination, uci.promotion)
            assert tuple(row) == rows(view, uci), (game.fen(), uci)
            assert max(row) < VIEW_MOVE_ROWS
