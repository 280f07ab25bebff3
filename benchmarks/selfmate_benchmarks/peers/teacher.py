"""The teacher in Python over python-chess: the same evaluation, search and scores.

Written from docs/teacher.md, independently of the core, so that tests can compare the two. The
search is alpha-beta and evaluates no more terms of a leaf than its window needs.
"""

from itertools import product

import chess

MATE = 10_000
INFINITY = 2 * MATE
VALUES = {
    chess.PAWN: 100,
    chess.KNIGHT: 320,
    chess.BISHOP: 330,
    chess.ROOK: 500,
    chess.QUEEN: 900,
    chess.KING: 0,
}
PHASES = {chess.KNIGHT: 1, chess.BISHOP: 1, chess.ROOK: 2, chess.QUEEN: 4}
FULL_PHASE = 24
MOBILITY = {chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 2, chess.QUEEN: 1}
MAX_TAPERED = 9_000
MAX_POSITIONAL = 100


def _from_edge(file_or_rank: int) -> int:
    return min(file_or_rank, 7 - file_or_rank)


def _centrality(square: int) -> int:
    return _from_edge(chess.square_file(square)) + _from_edge(chess.square_rank(square))


def _placement(kind: int, square: int) -> tuple[int, int]:
    """Middle and end value of White's piece on a square."""
    file, rank, central = square % 8, square // 8, _centrality(square)
    if kind == chess.PAWN:
        steps = rank - 1
        middle_file = (0, 0, 1, 2)[_from_edge(file)]
        return 3 * steps + 6 * middle_file * min(steps, 2), 3 * steps * (steps + 1)
    seventh = rank == 6
    return {
        chess.KNIGHT: (8 * central - 24, 5 * central - 15),
        chess.BISHOP: (5 * central - 12 - 6 * (rank == 0), 3 * central - 9),
        chess.ROOK: (3 * _from_edge(file) - 3 + 20 * seventh, 10 * seventh),
        chess.QUEEN: (central - 3, 4 * central - 12),
        chess.KING: ((12, 20, 0, -8)[_from_edge(file)] - 16 * min(rank, 3), 7 * central - 20),
    }[kind]


def _piece_values(kind: int, color: bool, square: int) -> tuple[int, int, int]:
    middle, end = _placement(kind, square if color else chess.square_mirror(square))
    sign = 1 if color else -1
    return sign * (VALUES[kind] + middle), sign * (VALUES[kind] + end), PHASES.get(kind, 0)


PIECE_SQUARE_VALUES = {
    (kind, color): [_piece_values(kind, color, square) for square in chess.SQUARES]
    for kind, color in product(chess.PIECE_TYPES, chess.COLORS)
}


def tapered(board: chess.Board) -> int:
    """Material and piece-square values."""
    middle = end = phase = 0
    for kind in chess.PIECE_TYPES:
        masks = board.pieces_mask(kind, chess.WHITE), board.pieces_mask(kind, chess.BLACK)
        for color, mask in zip((chess.WHITE, chess.BLACK), masks, strict=True):
            for square in chess.scan_forward(mask):
                value = PIECE_SQUARE_VALUES[kind, color][square]
                middle += value[0]
                end += value[1]
                phase += value[2]
    phase = min(phase, FULL_PHASE)
    total = middle * phase + end * (FULL_PHASE - phase)
    towards_zero = total // FULL_PHASE if total >= 0 else -(-total // FULL_PHASE)
    return max(-MAX_TAPERED, min(MAX_TAPERED, towards_zero))


def _king(board: chess.Board, color: bool) -> int:
    king = board.king(color)
    assert king is not None
    return king


def activity(board: chess.Board, color: bool) -> int:
    """Mobility, and attacks on the squares around the enemy king."""
    zone = chess.BB_KING_ATTACKS[_king(board, not color)]
    free = chess.BB_ALL & ~board.occupied_co[color]
    total = 0
    for kind, weight in MOBILITY.items():
        for square in chess.scan_forward(board.pieces_mask(kind, color)):
            attacks = board.attacks_mask(square)
            total += weight * chess.popcount(attacks & free) + 4 * chess.popcount(attacks & zone)
    return total


def shield(board: chess.Board, color: bool) -> int:
    """Pawns before a king at home while the enemy has a queen."""
    king = _king(board, color)
    rank = chess.square_rank(king) if color else 7 - chess.square_rank(king)
    if rank > 1 or not board.pieces_mask(chess.QUEEN, not color):
        return 0
    pawns = 0
    for square in chess.scan_forward(board.pieces_mask(chess.PAWN, color)):
        ahead = chess.square_rank(square) - chess.square_rank(king)
        beside = abs(chess.square_file(square) - chess.square_file(king))
        pawns += beside <= 1 and (ahead if color else -ahead) in (1, 2)
    return 8 * pawns


def positional(board: chess.Board) -> int:
    total = activity(board, chess.WHITE) - activity(board, chess.BLACK)
    total += shield(board, chess.WHITE) - shield(board, chess.BLACK)
    return max(-MAX_POSITIONAL, min(MAX_POSITIONAL, total))


def room(board: chess.Board, color: bool) -> int:
    """How many squares a bare king could walk to if the other side passed."""
    without_king = board.copy(stack=False)
    reached = {_king(board, color)}
    without_king.remove_piece_at(*reached)
    waiting = list(reached)
    while waiting:
        for square in chess.scan_forward(chess.BB_KING_ATTACKS[waiting.pop()]):
            if square not in reached and not without_king.is_attacked_by(not color, square):
                reached.add(square)
                waiting.append(square)
    return len(reached)


def lone_king(board: chess.Board) -> int:
    """A bonus for the side that hunts a lone king."""
    bare = [chess.popcount(board.occupied_co[color]) == 1 for color in chess.COLORS]
    if bare[0] == bare[1]:
        return 0
    hunter = chess.WHITE if bare[1] else chess.BLACK
    hunted = _king(board, not hunter)
    apart = chess.square_manhattan_distance(hunted, _king(board, hunter))
    bonus = 4 * (6 - _centrality(hunted)) + 10 * (14 - apart)
    bonus += 4 * (63 - room(board, not hunter))
    return bonus if hunter == chess.WHITE else -bonus


def evaluate(board: chess.Board) -> int:
    """All terms, for the side to move."""
    white = tapered(board) + positional(board) + lone_king(board)
    return white if board.turn == chess.WHITE else -white


def _bounded_evaluation(board: chess.Board, alpha: int, beta: int) -> int:
    """The evaluation, or a bound of it where that settles which side of the window it is on."""
    sign = 1 if board.turn == chess.WHITE else -1
    known = sign * (tapered(board) + lone_king(board))
    if known - MAX_POSITIONAL >= beta:
        return known - MAX_POSITIONAL
    if known + MAX_POSITIONAL <= alpha:
        return known + MAX_POSITIONAL
    return known + sign * positional(board)


def _is_drawn(board: chess.Board) -> bool:
    return (
        board.halfmove_clock >= 100
        or board.is_insufficient_material()
        or (board.halfmove_clock >= 8 and board.is_repetition(3))
    )


def _captures_first(board: chess.Board) -> list[chess.Move]:
    def gain(move: chess.Move) -> int:
        victim = board.piece_type_at(move.to_square)
        return -(VALUES[victim] if victim else 0) - VALUES[move.promotion or chess.KING]

    return sorted(board.legal_moves, key=gain)


def search(board: chess.Board, depth: int, ply: int, alpha: int, beta: int) -> int:
    """Negamax with alpha-beta; the score is for the side to move."""
    if not any(board.generate_legal_moves()):
        return ply - MATE if board.is_check() else 0
    if _is_drawn(board):
        return 0
    if depth == 0:
        return _bounded_evaluation(board, alpha, beta)
    for move in _captures_first(board):
        board.push(move)
        alpha = max(alpha, -search(board, depth - 1, ply + 1, -beta, -alpha))
        board.pop()
        if alpha >= beta:
            break
    return alpha


def scores(board: chess.Board, depth: int) -> dict[str, int]:
    """The exact score of every legal move, in centipawns for the side to move."""
    found = {}
    for move in board.legal_moves:
        board.push(move)
        found[move.uci()] = -search(board, depth - 1, 1, -INFINITY, INFINITY)
        board.pop()
    return found
