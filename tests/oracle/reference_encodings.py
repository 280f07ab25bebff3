"""Every encoding and action coding a second time, slowly, over python-chess.

Written from docs/encodings.md and not from the core, so that the two can disagree.
"""

from collections.abc import Callable, Iterator
from typing import Any

import chess
import numpy as np
from numpy.typing import NDArray

PLANE_ORDER = (chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN, chess.KING)
TOKEN_ORDER = (chess.PAWN, chess.BISHOP, chess.KNIGHT, chess.ROOK, chess.QUEEN, chess.KING)
CENTRE = (chess.D4, chess.E4, chess.D5, chess.E5)

Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]


def move_code(move: chess.Move) -> int:
    """The 16 bits of a move as the core numbers them."""
    promotion = move.promotion - 1 if move.promotion else 0
    return move.from_square | move.to_square << 6 | promotion << 12


def legal_en_passant(board: chess.Board) -> chess.Square | None:
    return board.ep_square if board.has_legal_en_passant() else None


def castling_rights(board: chess.Board, color: chess.Color) -> list[bool]:
    return [board.has_kingside_castling_rights(color), board.has_queenside_castling_rights(color)]


def onehot768(board: chess.Board) -> Bytes:
    out = np.zeros((2, 6, 64), np.uint8)
    for square, piece in board.piece_map().items():
        out[int(not piece.color), PLANE_ORDER.index(piece.piece_type), square] = 1
    return out.reshape(768)


def features839(board: chess.Board) -> Floats:
    en_passant = np.zeros(64)
    square = legal_en_passant(board)
    if square is not None:
        en_passant[square] = 1
    rights = castling_rights(board, chess.WHITE) + castling_rights(board, chess.BLACK)
    counters = [min(board.halfmove_clock, 100) / 100, min(board.fullmove_number, 200) / 200]
    parts = [onehot768(board), [board.turn], rights, en_passant, counters]
    return np.concatenate([np.asarray(part, np.float32) for part in parts])


def move136(board: chess.Board, move: chess.Move) -> Bytes:
    promotions = (None, chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)
    bits = [square == move.from_square for square in chess.SQUARES]
    bits += [square == move.to_square for square in chess.SQUARES]
    bits += [move.promotion == piece for piece in promotions]
    bits += [board.is_capture(move), board.gives_check(move), board.is_castling(move)]
    return np.array(bits, np.uint8)


def tokens78(board: chess.Board) -> Bytes:
    seen = board if board.turn else board.mirror()
    words = [0]
    for square in chess.SQUARES:
        piece = seen.piece_at(square)
        first = 2 if piece and piece.color == chess.WHITE else 8
        words.append(first + TOKEN_ORDER.index(piece.piece_type) if piece else 1)
    square_passed = legal_en_passant(board)
    bits = castling_rights(seen, chess.WHITE) + castling_rights(seen, chess.BLACK)
    bits.append(square_passed is not None)
    for file in range(8):
        bits.append(square_passed is not None and chess.square_file(square_passed) == file)
    return np.array(words + [15 if bit else 14 for bit in bits], np.uint8)


def seen_from(board: chess.Board, side: chess.Color) -> chess.Board:
    """The board as if `side` played White."""
    return board if side == chess.WHITE else board.mirror()


def past_boards(board: chess.Board) -> Iterator[chess.Board]:
    """The position and those before it, newest first."""
    past = board.copy()
    yield past.copy(stack=False)
    while past.move_stack:
        past.pop()
        yield past.copy(stack=False)


def piece_planes(seen: chess.Board) -> Floats:
    return onehot768(seen).reshape(12, 64).astype(np.float32)


def indicator(squares: chess.SquareSet) -> Floats:
    return np.array([square in squares for square in chess.SQUARES], np.float32)


def attacked_by(seen: chess.Board, color: chess.Color) -> chess.SquareSet:
    return chess.SquareSet(s for s in chess.SQUARES if seen.is_attacked_by(color, s))


def own_pieces_reaching(seen: chess.Board, zone_of: chess.Color) -> chess.SquareSet:
    king = seen.king(zone_of)
    assert king is not None
    zone = chess.SquareSet(chess.BB_KING_ATTACKS[king]) | {king}
    own = chess.SquareSet(seen.occupied_co[chess.WHITE])
    return chess.SquareSet(s for s in own if seen.attacks(s) & zone)


def mobility(seen: chess.Board, piece: chess.PieceType, most: int) -> Floats:
    out = np.zeros(64, np.float32)
    for square in seen.pieces(piece, chess.WHITE):
        free = [s for s in seen.attacks(square) if seen.color_at(s) != chess.WHITE]
        out[square] = np.float32(len(free)) / np.float32(most)
    return out


def is_passed(pawn: chess.Square, enemy_pawns: chess.SquareSet) -> bool:
    return not any(
        abs(chess.square_file(enemy) - chess.square_file(pawn)) <= 1
        and chess.square_rank(enemy) > chess.square_rank(pawn)
        for enemy in enemy_pawns
    )


def is_isolated(pawn: chess.Square, own_pawns: chess.SquareSet) -> bool:
    return not any(
        abs(chess.square_file(other) - chess.square_file(pawn)) == 1 for other in own_pawns
    )


def centre_control(seen: chess.Board) -> Floats:
    out = np.zeros(64, np.float32)
    for square in CENTRE:
        out[square] = min(len(seen.attackers(chess.WHITE, square)), 4) / 4
    return out


def semantic_planes(seen: chess.Board) -> list[Floats]:
    own, enemy = seen.pieces(chess.PAWN, chess.WHITE), seen.pieces(chess.PAWN, chess.BLACK)
    king = seen.king(chess.WHITE)
    attacked = attacked_by(seen, chess.WHITE)
    own_half = chess.SquareSet(range(32))
    return [
        indicator(own_pieces_reaching(seen, chess.BLACK)),
        indicator(chess.SquareSet(s for s in own_pieces_reaching(seen, chess.WHITE) if s != king)),
        mobility(seen, chess.KNIGHT, 8),
        mobility(seen, chess.BISHOP, 13),
        indicator(chess.SquareSet(s for s in own if is_passed(s, enemy))),
        indicator(chess.SquareSet(s for s in own if is_isolated(s, own))),
        indicator(own_half - attacked),
        centre_control(seen),
    ]


def state_planes(board: chess.Board, seen: chess.Board, seen_before: int) -> list[Floats]:
    def constant(value: float) -> Floats:
        return np.full(64, value, np.float32)

    rights = castling_rights(seen, chess.WHITE) + castling_rights(seen, chess.BLACK)
    square = legal_en_passant(seen)
    return [
        constant(board.turn),
        constant(min(board.fullmove_number, 200) / 200),
        *[constant(right) for right in rights],
        constant(min(board.halfmove_clock, 100) / 100),
        indicator(chess.SquareSet([] if square is None else [square])),
        constant(seen_before >= 1),
        constant(seen_before >= 2),
        indicator(attacked_by(seen, chess.WHITE)),
        indicator(attacked_by(seen, chess.BLACK)),
    ]


def planes68(board: chess.Board) -> Floats:
    past = list(past_boards(board))
    seen_before = sum(old._transposition_key() == board._transposition_key() for old in past[1:])
    planes = np.zeros((68, 64), np.float32)
    for age, old in enumerate(past[:4]):
        planes[12 * age : 12 * age + 12] = piece_planes(seen_from(old, board.turn))
    seen = seen_from(board, board.turn)
    planes[48:60] = state_planes(board, seen, seen_before)
    planes[60:68] = semantic_planes(seen)
    return planes.reshape(68, 8, 8)


def uci1968_texts() -> list[str]:
    """All moves of uci1968 in order."""
    texts = []
    for start in chess.SQUARES:
        lone = chess.Board(None)
        lone.set_piece_at(start, chess.Piece(chess.QUEEN, chess.WHITE))
        reach = lone.attacks(start) | chess.SquareSet(chess.BB_KNIGHT_ATTACKS[start])
        texts += [chess.Move(start, end).uci() for end in sorted(reach)]
    for start_rank, end_rank in ((6, 7), (1, 0)):
        for file in range(8):
            for end_file in range(max(file - 1, 0), min(file + 1, 7) + 1):
                start, end = chess.square(file, start_rank), chess.square(end_file, end_rank)
                texts += [chess.square_name(start) + chess.square_name(end) + p for p in "qrbn"]
    return texts


_UCI1968 = {text: index for index, text in enumerate(uci1968_texts())}
_COMPASS = {
    direction: number
    for number, direction in enumerate(
        [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]
    )
}
_JUMPS = {
    jump: number
    for number, jump in enumerate(
        [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]
    )
}


def from_to4096(move: chess.Move, turn: chess.Color) -> int:
    del turn
    return 64 * move.from_square + move.to_square


def uci1968(move: chess.Move, turn: chess.Color) -> int:
    del turn
    return _UCI1968[move.uci()]


def az4672(move: chess.Move, turn: chess.Color) -> int:
    start, end = move.from_square, move.to_square
    if turn == chess.BLACK:
        start, end = chess.square_mirror(start), chess.square_mirror(end)
    files = chess.square_file(end) - chess.square_file(start)
    ranks = chess.square_rank(end) - chess.square_rank(start)
    if move.promotion not in (None, chess.QUEEN):
        piece = (chess.KNIGHT, chess.BISHOP, chess.ROOK).index(move.promotion)
        kind = 64 + 3 * piece + files + 1
    elif (files, ranks) in _JUMPS:
        kind = 56 + _JUMPS[files, ranks]
    else:
        distance = max(abs(files), abs(ranks))
        kind = 7 * _COMPASS[files // distance, ranks // distance] + distance - 1
    return 73 * start + kind


CODERS: dict[str, Callable[[chess.Move, chess.Color], int]] = {
    "from_to4096": from_to4096,
    "uci1968": uci1968,
    "az4672": az4672,
}
ENCODERS: dict[str, Callable[[chess.Board], NDArray[Any]]] = {
    "features839": features839,
    "onehot768": onehot768,
    "tokens78": tokens78,
    "planes68": planes68,
}
