"""`planes68` and `az4672` as one writes them over python-chess and NumPy, from docs/encodings.md.

Bitboards become planes all at once; what is not a set of squares is filled in after.
"""

from collections.abc import Iterable
from functools import cache
from itertools import product

import chess
import numpy as np
from numpy.typing import NDArray

CENTRE = (chess.D4, chess.E4, chess.D5, chess.E5)
HALVES = {
    chess.WHITE: chess.BB_RANK_1 | chess.BB_RANK_2 | chess.BB_RANK_3 | chess.BB_RANK_4,
    chess.BLACK: chess.BB_RANK_5 | chess.BB_RANK_6 | chess.BB_RANK_7 | chess.BB_RANK_8,
}
COMPASS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
JUMPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
UNDERPROMOTIONS = (chess.KNIGHT, chess.BISHOP, chess.ROOK)


def planes68(board: chess.Board) -> NDArray[np.float32]:
    """[68, 8, 8]"""
    own, enemy = board.turn, not board.turn
    attacks = {square: board.attacks_mask(square) for square in _squares(board.occupied)}
    masks = _history(board)
    masks += _state_masks(board, attacks)
    masks += _semantic_masks(board, attacks)
    planes = _drawn(masks)
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


def _drawn(masks: list[int]) -> NDArray[np.float32]:
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
    """Planes 48 to 59; those of one value are filled in later."""
    passed = chess.BB_SQUARES[board.ep_square or 0] if board.has_legal_en_passant() else 0
    own, enemy = (_union(board.occupied_co[c], attacks) for c in (board.turn, not board.turn))
    return [*[0] * 7, passed, 0, 0, own, enemy]


def _union(men: int, attacks: dict[int, int]) -> int:
    mask = 0
    for square in _squares(men):
        mask |= attacks[square]
    return mask


def _semantic_masks(board: chess.Board, attacks: dict[int, int]) -> list[int]:
    """Planes 60 to 67; those of shares are filled in later."""
    own, men = board.turn, board.occupied_co[board.turn]
    king = board.kings & men
    pawns, enemy_pawns = board.pawns & men, board.pawns & ~men
    return [
        _reaching(men, _zone(board, not own), attacks),
        _reaching(men & ~king, _zone(board, own), attacks),
        0,
        0,
        _mask(s for s in _squares(pawns) if not enemy_pawns & _way(s, own)),
        _mask(s for s in _squares(pawns) if not pawns & _beside(s)),
        HALVES[own] & ~_union(men, attacks),
        0,
    ]


def _mask(squares: Iterable[int]) -> int:
    return sum(chess.BB_SQUARES[square] for square in squares)


def _zone(board: chess.Board, color: bool) -> int:
    king = board.king(color)
    assert king is not None
    return chess.BB_KING_ATTACKS[king] | chess.BB_SQUARES[king]


def _reaching(men: int, zone: int, attacks: dict[int, int]) -> int:
    return _mask(square for square in _squares(men) if attacks[square] & zone)


@cache
def _beside(square: int) -> int:
    """The files next to it."""
    return _mask(s for s in chess.SQUARES if abs(s % 8 - square % 8) == 1)


@cache
def _way(square: int, color: bool) -> int:
    """Where enemy pawns would stop or take a pawn that goes on from there."""
    ahead = range(square // 8 + 1, 8) if color else range(square // 8)
    return _mask(s for s in chess.SQUARES if s // 8 in ahead and abs(s % 8 - square % 8) <= 1)


def _fill_mobility(plane: NDArray[np.float32], board: chess.Board, kind: int, most: int) -> None:
    free = ~board.occupied_co[board.turn]
    for square in _squares(board.pieces_mask(kind, board.turn)):
        reached = chess.popcount(board.attacks_mask(square) & free)
        plane[square // 8, square % 8] = reached / most


def actions(moves: list[chess.Move], turn: bool) -> list[int]:
    return [_action(m.from_square, m.to_square, m.promotion, turn) for m in moves]


@cache
def _action(start: int, end: int, promotion: int | None, turn: bool) -> int:
    if not turn:
        start, end = chess.square_mirror(start), chess.square_mirror(end)
    files, ranks = end % 8 - start % 8, end // 8 - start // 8
    if promotion in UNDERPROMOTIONS:
        kind = 64 + 3 * UNDERPROMOTIONS.index(promotion) + files + 1
    elif (files, ranks) in JUMPS:
        kind = 56 + JUMPS.index((files, ranks))
    else:
        far = max(abs(files), abs(ranks))
        kind = 7 * COMPASS.index((files // far, ranks // far)) + far - 1
    return 73 * start + kind
