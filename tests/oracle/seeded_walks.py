"""Seeded random play for comparing encodings: rich in promotions, castling and repetitions."""

import random
from collections.abc import Iterator

from selfmate._core import Board

STARTS = (
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 90 198",
    "q3k2q/8/8/8/8/8/8/Q3K2Q b - - 0 1",
)
MOST_PLIES = 160
CHANCE_OF_RETURN = 0.3


def walk(rng: random.Random, start: str) -> Iterator[Board]:
    """The same board before each move of one game; copy it to keep it."""
    board = Board(start)
    for _ in range(MOST_PLIES):
        yield board
        moves = board.legal_moves()
        outcome = board.outcome()
        if not moves or (outcome and outcome.reason == "insufficient_material"):
            return
        board.push(next_move(rng, board, moves), past_draw=True)


def next_move(rng: random.Random, board: Board, moves: list[str]) -> str:
    """At random, but often back where the piece came from, so that positions recur."""
    played = board.moves
    if len(played) >= 2 and rng.random() < CHANCE_OF_RETURN:
        back = played[-2][2:4] + played[-2][:2]
        if back in moves:
            return back
    return rng.choice(moves)


def walks(seed: int, positions: int) -> Iterator[Iterator[Board]]:
    """Games until about so many positions were handed out."""
    rng = random.Random(seed)
    seen = 0

    def counted(game: Iterator[Board]) -> Iterator[Board]:
        nonlocal seen
        for board in game:
            seen += 1
            yield board

    while seen < positions:
        yield counted(walk(rng, rng.choice(STARTS)))
