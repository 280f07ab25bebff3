"""Won endgames to start from: a few pieces against a lone king."""

import random

from selfmate.rules import Board

ARMIES = ("Q", "R", "RR", "QR", "BB")  # beside the king


def won_endgame(seed: int, number: int) -> str:
    """The FEN of a random legal position that is won by material; who wins and who moves is
    chance, too. It depends on seed and number alone."""
    chance = random.Random(f"{seed} {number}")
    while True:
        army = chance.choice(ARMIES)
        squares = chance.sample(range(64), len(army) + 2)
        men = dict(zip(squares, f"Kk{army}", strict=True))
        if chance.random() < 0.5:
            men = {square: man.swapcase() for square, man in men.items()}
        fen = f"{placement(men)} {chance.choice('wb')} - - 0 1"
        if not _same_coloured_bishops(army, squares[2:]) and _is_won(fen):
            return fen


def favourite(board: Board) -> int:
    """Who has to win because the other has but a king: White 1, Black -1, nobody 0."""
    men = [letter for letter in board.fen().split(maxsplit=1)[0] if letter.isalpha()]
    white = sum(letter.isupper() for letter in men)
    return int(len(men) - white == 1) - int(white == 1)


def placement(men: dict[int, str]) -> str:
    """The first field of a FEN."""
    ranks = []
    for rank in reversed(range(8)):
        row = "".join(men.get(8 * rank + file, " ") for file in range(8))
        for empty in range(8, 0, -1):
            row = row.replace(" " * empty, str(empty))
        ranks.append(row)
    return "/".join(ranks)


def _same_coloured_bishops(army: str, squares: list[int]) -> bool:
    colours = {(square // 8 + square % 8) % 2 for square in squares}
    return army == "BB" and len(colours) == 1


def _is_won(fen: str) -> bool:
    """Legal, not over, and nothing is lost at once."""
    try:
        board = Board(fen)
    except ValueError:
        return False
    if board.outcome() is not None:
        return False
    men = _men(fen)
    for move in board.legal_moves():
        after = board.copy()
        after.push(move)
        if _men(after.fen()) < men:
            return False
    return True


def _men(fen: str) -> int:
    return sum(letter.isalpha() for letter in fen.split(maxsplit=1)[0])
