"""Seeded random games for comparing encodings, rich in promotions, castling and repetitions."""

import random
from collections.abc import Iterator, Sequence

from oracle.positions import STARTS
from selfmate.rules import Board

MAX_PLIES = 160
RETURN_PROBABILITY = 0.3


def walk(rng: random.Random, start: str) -> Iterator[Board]:
    """The same board before each move of one game; copy it to keep it."""
    board = Board(start)
    for _ in range(MAX_PLIES):
        yield board
        moves = board.legal_moves()
        outcome = board.outcome()
        if not moves or (outcome and outcome.reason == "insufficient_material"):
            return
        board.push(next_move(rng, board, moves), past_draw=True)


def next_move(rng: random.Random, board: Board, moves: list[str]) -> str:
    """A random move, but often back where the piece came from, so that positions recur."""
    played = board.moves
    if len(played) >= 2 and rng.random() < RETURN_PROBABILITY:
        back = played[-2][2:4] + played[-2][:2]
        if back in moves:
            return back
    return rng.choice(moves)


def walks(seed: int, positions: int, starts: Sequence[str] = STARTS) -> Iterator[Iterator[Board]]:
    """Games, until about this many positions were yielded."""
    rng = random.Random(seed)
    seen = 0

    def counted(game: Iterator[Board]) -> Iterator[Board]:
        nonlocal seen
        for board in game:
            seen += 1
            yield board

    while seen < positions:
        yield counted(walk(rng, rng.choice(starts)))
