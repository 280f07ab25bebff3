"""Random endgames as start positions: a few pieces against a lone king, or few on both sides."""

import random

from selfmate.rules import Board

PIECE_SETS = ("Q", "R", "RR", "QR", "BB")  # of the stronger side, beside its king
MAX_FEW_PIECES = 4  # of one side, beside its king


def won_endgame(seed: int, number: int) -> str:
    """The FEN of a random legal position that one side wins by material.

    The stronger side and the side to move are random as well. The position depends on seed and
    number alone.
    """
    rng = random.Random(f"{seed} {number}")
    while True:
        extra = rng.choice(PIECE_SETS)
        squares = rng.sample(range(64), len(extra) + 2)
        pieces = dict(zip(squares, f"Kk{extra}", strict=True))
        if rng.random() < 0.5:
            pieces = {square: piece.swapcase() for square, piece in pieces.items()}
        fen = f"{placement(pieces)} {rng.choice('wb')} - - 0 1"
        if not _same_coloured_bishops(extra, squares[2:]) and _is_won(fen):
            return fen


def few_pieces(seed: int, number: int) -> str:
    """The FEN of a random legal position with few pieces and pawns on both sides, won, drawn or
    lost. In every second one both sides have the same. It depends on seed and number alone.
    """
    rng = random.Random(f"{seed} {number} few")
    while True:
        ours, theirs = _few(rng), _few(rng)
        if rng.random() < 0.5:
            theirs = ours
        letters = f"Kk{ours}{theirs.lower()}"
        pieces = dict(zip(rng.sample(range(64), len(letters)), letters, strict=True))
        if any(piece in "Pp" and not 8 <= square < 56 for square, piece in pieces.items()):
            continue
        fen = f"{placement(pieces)} {rng.choice('wb')} - - 0 1"
        if _running(fen) is not None:
            return fen


def _few(rng: random.Random) -> str:
    """Up to four pieces beside a king, every second one a pawn."""
    return "".join(rng.choices("QRBNP", (1, 2, 1, 1, 5), k=rng.randint(0, MAX_FEW_PIECES)))


def favourite(board: Board) -> int:
    """The side whose opponent has only a king: 1 for White, -1 for Black, 0 for neither."""
    pieces = [letter for letter in board.fen().split(maxsplit=1)[0] if letter.isalpha()]
    white = sum(letter.isupper() for letter in pieces)
    return int(len(pieces) - white == 1) - int(white == 1)


def placement(pieces: dict[int, str]) -> str:
    """The first field of a FEN, from piece letters by square (a1 = 0 ... h8 = 63)."""
    ranks = []
    for rank in reversed(range(8)):
        row = "".join(pieces.get(8 * rank + file, " ") for file in range(8))
        for empty in range(8, 0, -1):
            row = row.replace(" " * empty, str(empty))
        ranks.append(row)
    return "/".join(ranks)


def _same_coloured_bishops(extra: str, squares: list[int]) -> bool:
    colours = {(square // 8 + square % 8) % 2 for square in squares}
    return extra == "BB" and len(colours) == 1


def _is_won(fen: str) -> bool:
    """Whether the position is legal, not over, and no move captures a piece."""
    if (board := _running(fen)) is None:
        return False
    pieces = _piece_count(fen)
    for move in board.legal_moves():
        after = board.copy()
        after.push(move)
        if _piece_count(after.fen()) < pieces:
            return False
    return True


def _running(fen: str) -> Board | None:
    """The position, if it is legal and not over."""
    try:
        board = Board(fen)
    except ValueError:
        return None
    return board if board.outcome() is None else None


def _piece_count(fen: str) -> int:
    return sum(letter.isalpha() for letter in fen.split(maxsplit=1)[0])
