"""All encodings and action encodings in Python, over python-chess and NumPy.

Written from docs/encodings.md, independently of the core. The search in Python (peers/mcts.py)
shows its net these planes; the oracle tests compare all of them with the core.
"""

from collections.abc import Callable, Iterable
from functools import cache
from itertools import product
from typing import Any

import chess
import numpy as np
from numpy.typing import NDArray

# Tokens list bishops before knights; planes follow chess.PIECE_TYPES.
TOKEN_ORDER = (chess.PAWN, chess.BISHOP, chess.KNIGHT, chess.ROOK, chess.QUEEN, chess.KING)
PROMOTIONS = (None, chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)
UNDERPROMOTIONS = (chess.KNIGHT, chess.BISHOP, chess.ROOK)
CENTRE = (chess.D4, chess.E4, chess.D5, chess.E5)
PIECE_PAWNS = (0, 1, 3, 3, 5, 9, 100)  # by type of piece, from pawn to king
HALVES = {
    chess.WHITE: chess.BB_RANK_1 | chess.BB_RANK_2 | chess.BB_RANK_3 | chess.BB_RANK_4,
    chess.BLACK: chess.BB_RANK_5 | chess.BB_RANK_6 | chess.BB_RANK_7 | chess.BB_RANK_8,
}
# Directions as (files, ranks): north, north-east and on clockwise; the jumps of a knight likewise.
COMPASS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
JUMPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))

Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]


def move_code(move: chess.Move) -> int:
    """from | to << 6 | promotion << 12, with 1 knight ... 4 queen."""
    promotion = move.promotion - 1 if move.promotion else 0
    return move.from_square | move.to_square << 6 | promotion << 12


def legal_en_passant(board: chess.Board) -> chess.Square | None:
    return board.ep_square if board.has_legal_en_passant() else None


def castling_rights(board: chess.Board, color: chess.Color) -> list[bool]:
    return [board.has_kingside_castling_rights(color), board.has_queenside_castling_rights(color)]


# Flat encodings


def onehot768(board: chess.Board) -> Bytes:
    """[768], from White's side."""
    out = np.zeros((2, 6, 64), np.uint8)
    for square, piece in board.piece_map().items():
        out[int(not piece.color), piece.piece_type - 1, square] = 1
    return out.reshape(768)


def features839(board: chess.Board) -> Floats:
    """[839], from White's side."""
    en_passant = np.zeros(64)
    square = legal_en_passant(board)
    if square is not None:
        en_passant[square] = 1
    rights = castling_rights(board, chess.WHITE) + castling_rights(board, chess.BLACK)
    counters = [min(board.halfmove_clock, 100) / 100, min(board.fullmove_number, 200) / 200]
    parts = [onehot768(board), [board.turn], rights, en_passant, counters]
    return np.concatenate([np.asarray(part, np.float32) for part in parts])


def move136(board: chess.Board, move: chess.Move) -> Bytes:
    """[136]"""
    bits = [square == move.from_square for square in chess.SQUARES]
    bits += [square == move.to_square for square in chess.SQUARES]
    bits += [move.promotion == piece for piece in PROMOTIONS]
    bits += [board.is_capture(move), board.gives_check(move), board.is_castling(move)]
    return np.array(bits, np.uint8)


def tokens78(board: chess.Board) -> Bytes:
    """[78], from the side to move."""
    seen = board if board.turn else board.mirror()
    words = [0]
    for square in chess.SQUARES:
        piece = seen.piece_at(square)
        first = 2 if piece and piece.color == chess.WHITE else 8
        words.append(first + TOKEN_ORDER.index(piece.piece_type) if piece else 1)
    en_passant = legal_en_passant(board)
    bits = castling_rights(seen, chess.WHITE) + castling_rights(seen, chess.BLACK)
    bits.append(en_passant is not None)
    for file in range(8):
        bits.append(en_passant is not None and chess.square_file(en_passant) == file)
    return np.array(words + [15 if bit else 14 for bit in bits], np.uint8)


# Planes


def planes68(board: chess.Board) -> Floats:
    """[68, 8, 8], from the side to move.

    All planes that are sets of squares are unpacked from bitboards at once; the others are filled
    in afterwards.
    """
    own, enemy = board.turn, not board.turn
    attacks = {square: board.attacks_mask(square) for square in _squares(board.occupied)}
    masks = _history(board)
    masks += _state_masks(board, attacks)
    masks += _semantic_masks(board, attacks)
    planes = _unpacked(masks)
    planes[48] = own
    planes[49] = min(board.fullmove_number, 200) / 200
    planes[50] = board.has_kingside_castling_rights(own)
    planes[51] = board.has_queenside_castling_rights(own)
    planes[52] = board.has_kingside_castling_rights(enemy)
    planes[53] = board.has_queenside_castling_rights(enemy)
    planes[54] = min(board.halfmove_clock, 100) / 100
    planes[56] = board.is_repetition(2)
    planes[57] = board.is_repetition(3)
    _fill_mobility(planes[62], board, chess.KNIGHT, 8)
    _fill_mobility(planes[63], board, chess.BISHOP, 13)
    for square in CENTRE:
        count = chess.popcount(board.attackers_mask(own, square))
        planes[67, square // 8, square % 8] = min(count, 4) / 4
    return planes if own == chess.WHITE else planes[:, ::-1]


def _squares(mask: int) -> list[int]:
    return list(chess.scan_forward(mask))


def _unpacked(masks: list[int]) -> Floats:
    """[N, 8, 8] The bitboards as planes, first rank first."""
    bits = np.unpackbits(np.array(masks, "<u8").view(np.uint8), bitorder="little")
    return bits.reshape(-1, 8, 8).astype(np.float32)


def _history(board: chess.Board) -> list[int]:
    """The last four boards, the newest first."""
    past, masks = board.copy(stack=3), list[int]()
    for age in range(4):
        if age and not past.move_stack:
            return masks + [0] * (48 - len(masks))
        if age:
            past.pop()
        for color, kind in product((board.turn, not board.turn), chess.PIECE_TYPES):
            masks.append(past.pieces_mask(kind, color))
    return masks


def _state_masks(board: chess.Board, attacks: dict[int, int]) -> list[int]:
    """Planes 48 to 59; constant planes are filled in later."""
    square = legal_en_passant(board)
    en_passant = 0 if square is None else chess.BB_SQUARES[square]
    own, enemy = (_union(board.occupied_co[c], attacks) for c in (board.turn, not board.turn))
    return [*[0] * 7, en_passant, 0, 0, own, enemy]


def _union(pieces: int, attacks: dict[int, int]) -> int:
    mask = 0
    for square in _squares(pieces):
        mask |= attacks[square]
    return mask


def _semantic_masks(board: chess.Board, attacks: dict[int, int]) -> list[int]:
    """Planes 60 to 67; planes of fractions are filled in later."""
    own, pieces = board.turn, board.occupied_co[board.turn]
    king = board.kings & pieces
    pawns, enemy_pawns = board.pawns & pieces, board.pawns & ~pieces
    return [
        _reaching(pieces, _zone(board, not own), attacks),
        _reaching(pieces & ~king, _zone(board, own), attacks),
        0,
        0,
        _mask(s for s in _squares(pawns) if not enemy_pawns & _front_span(s, own)),
        _mask(s for s in _squares(pawns) if not pawns & _adjacent_files(s)),
        HALVES[own] & ~_union(pieces, attacks),
        0,
    ]


def _mask(squares: Iterable[int]) -> int:
    return sum(chess.BB_SQUARES[square] for square in squares)


def _zone(board: chess.Board, color: bool) -> int:
    """The king's square and those around it."""
    king = board.king(color)
    assert king is not None
    return chess.BB_KING_ATTACKS[king] | chess.BB_SQUARES[king]


def _reaching(pieces: int, zone: int, attacks: dict[int, int]) -> int:
    """The pieces that attack a square of the zone."""
    return _mask(square for square in _squares(pieces) if attacks[square] & zone)


@cache
def _adjacent_files(square: int) -> int:
    return _mask(s for s in chess.SQUARES if abs(s % 8 - square % 8) == 1)


@cache
def _front_span(square: int, color: bool) -> int:
    """The squares ahead on its own and adjacent files, free of enemy pawns for a passed pawn."""
    ahead = range(square // 8 + 1, 8) if color else range(square // 8)
    return _mask(s for s in chess.SQUARES if s // 8 in ahead and abs(s % 8 - square % 8) <= 1)


def _fill_mobility(plane: Floats, board: chess.Board, kind: int, maximum: int) -> None:
    free = ~board.occupied_co[board.turn]
    for square in _squares(board.pieces_mask(kind, board.turn)):
        reached = chess.popcount(board.attacks_mask(square) & free)
        plane[square // 8, square % 8] = reached / maximum


def planes96(board: chess.Board) -> Floats:
    """[96, 8, 8]: planes68 and the tactical planes."""
    own, enemy = board.turn, not board.turn
    own_king, enemy_king = board.king(own), board.king(enemy)
    assert own_king is not None
    assert enemy_king is not None
    masks = [
        _attacks_by(board, color, kind) for color in (own, enemy) for kind in chess.PIECE_TYPES
    ]
    masks += [0, 0, _hanging(board, own), _hanging(board, enemy)]
    masks += [_pinned(board, own), _pinned(board, enemy)]
    masks += _check_squares(board, enemy_king, own) + _check_squares(board, own_king, enemy)
    masks += [board.checkers_mask(), _discoverers(board, enemy_king)]
    planes = _unpacked(masks)
    for number, color in enumerate((own, enemy)):
        counts = [min(4, len(board.attackers(color, square))) / 4 for square in chess.SQUARES]
        planes[12 + number] = np.reshape(counts, (8, 8))
    seen = planes if own == chess.WHITE else planes[:, ::-1]
    return np.concatenate([planes68(board), seen])


def _attacks_by(board: chess.Board, color: bool, kind: int) -> int:
    mask = 0
    for square in board.pieces(kind, color):
        mask |= board.attacks_mask(square)
    return mask


def _hanging(board: chess.Board, color: bool) -> int:
    pieces = board.occupied_co[color] & ~board.kings
    return _mask(s for s in _squares(pieces) if exchange_gain(board, s, not color) > 0)


def exchange_gain(board: chess.Board, square: int, attacker: bool) -> int:
    """What the attacker wins by taking on the square, in pawns: the pieces really captured on a
    board, each by the cheapest that can."""
    board = board.copy(stack=False)
    able = [s for s in board.attackers(attacker, square) if not _forbidden(board, s, square)]
    if not able:
        return 0
    target, start = board.piece_type_at(square), min(able, key=lambda s: _value(board, s))
    piece = board.remove_piece_at(start)
    board.set_piece_at(square, piece)
    return max(0, PIECE_PAWNS[target or 0] - exchange_gain(board, square, not attacker))


def _forbidden(board: chess.Board, start: int, square: int) -> bool:
    """A king does not take what is protected."""
    piece = board.piece_at(start)
    assert piece is not None
    return piece.piece_type == chess.KING and board.is_attacked_by(not piece.color, square)


def _value(board: chess.Board, square: int) -> int:
    return PIECE_PAWNS[board.piece_type_at(square) or 0]


def _pinned(board: chess.Board, color: bool) -> int:
    return _mask(s for s in _squares(board.occupied_co[color]) if board.is_pinned(color, s))


def _check_squares(board: chess.Board, king: int, attacker: bool) -> list[int]:
    """From where a pawn, knight, bishop and rook of the attacker would give check."""
    masks = [chess.BB_PAWN_ATTACKS[not attacker][king]]
    for kind in (chess.KNIGHT, chess.BISHOP, chess.ROOK):
        other = board.copy(stack=False)
        other.set_piece_at(king, chess.Piece(kind, attacker))
        masks.append(other.attacks_mask(king))
    return masks


def _discoverers(board: chess.Board, enemy_king: int) -> int:
    """Own pieces without which another own piece attacks the enemy king."""
    own, found = board.turn, list[int]()
    for square in _squares(board.occupied_co[own]):
        other = board.copy(stack=False)
        other.remove_piece_at(square)
        attackers = board.attackers(own, enemy_king)
        if not other.attackers(own, enemy_king).issubset(attackers):
            found.append(square)
    return _mask(found)


# Action encodings


def from_to4096(move: chess.Move, turn: chess.Color) -> int:
    del turn
    return 64 * move.from_square + move.to_square


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


@cache
def _uci1968_indices() -> dict[str, int]:
    return {text: index for index, text in enumerate(uci1968_texts())}


def uci1968(move: chess.Move, turn: chess.Color) -> int:
    del turn
    return _uci1968_indices()[move.uci()]


def az4672(move: chess.Move, turn: chess.Color) -> int:
    """73 * from + kind of move, from the side to move."""
    return _az4672(move.from_square, move.to_square, move.promotion, turn)


@cache
def _az4672(start: int, end: int, promotion: int | None, turn: bool) -> int:
    if not turn:
        start, end = chess.square_mirror(start), chess.square_mirror(end)
    files, ranks = end % 8 - start % 8, end // 8 - start // 8
    if promotion in UNDERPROMOTIONS:
        kind = 64 + 3 * UNDERPROMOTIONS.index(promotion) + files + 1
    elif (files, ranks) in JUMPS:
        kind = 56 + JUMPS.index((files, ranks))
    else:
        distance = max(abs(files), abs(ranks))
        kind = 7 * COMPASS.index((files // distance, ranks // distance)) + distance - 1
    return 73 * start + kind


ENCODERS: dict[str, Callable[[chess.Board], NDArray[Any]]] = {
    "features839": features839,
    "onehot768": onehot768,
    "tokens78": tokens78,
    "planes68": planes68,
    "planes96": planes96,
}
ACTION_ENCODERS: dict[str, Callable[[chess.Move, chess.Color], int]] = {
    "from_to4096": from_to4096,
    "uci1968": uci1968,
    "az4672": az4672,
}


def perft(board: chess.Board, depth: int) -> int:
    """Nodes of the tree of legal moves at a depth of 1 or more."""
    if depth == 1:
        return board.legal_moves.count()
    nodes = 0
    for move in board.legal_moves:
        board.push(move)
        nodes += perft(board, depth - 1)
        board.pop()
    return nodes


def is_over(board: chess.Board) -> bool:
    """Whether the game has ended; draws by repetition and the fifty-move rule need no claim."""
    return (
        board.halfmove_clock >= 100
        or board.is_insufficient_material()
        or board.is_repetition(3)
        or not any(board.legal_moves)
    )
