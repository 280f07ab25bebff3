"""Random positions for differential tests: where the walks start, and how they go on."""

import os
import random
from collections.abc import Iterator

import chess

from selfmate.rules.perft import PERFT_POSITIONS
from selfmate_benchmarks.peers.rules import is_over

# The positions are divided among this many tests, for parallel workers.
SHARDS = 10

# Corners of the rules: en passant with pins and checks, castling through and out of attacks,
# promotions with capture and check, long lines of repetition, lone kings, many queens.
EDGE_FENS = (
    "8/8/8/K2pP2r/8/8/8/7k w - d6 0 2",
    "8/8/3k4/8/2pP4/8/B7/4K3 b - d3 0 1",
    "8/6bb/8/8/R1pP2k1/4P3/P7/K7 b - d3 0 1",
    "8/8/8/2pP4/1K6/8/8/4k3 w - c6 0 2",
    "8/8/8/1k1pP3/8/8/8/B3K2R w K d6 0 2",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "r3k2r/8/8/8/8/4q3/8/R3K2R w KQkq - 0 1",
    "r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1",
    "r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "n1n5/1Pk5/8/8/8/8/5Kp1/5N1N w - - 0 1",
    "8/PPPPPPPP/8/8/8/k7/8/7K w - - 0 1",
    "2r5/3pk3/8/2P5/8/2K5/8/8 w - - 5 4",
    "8/8/4k3/8/8/8/4K3/8 w - - 0 1",
    "8/8/4k3/3b4/8/8/4K1B1/8 w - - 0 1",
    "8/8/4k3/3nn3/8/8/4K3/8 w - - 90 80",
    "5k2/8/8/8/8/8/8/4K2R w K - 0 1",
    "3k4/8/8/8/8/8/8/R3K3 w Q - 0 1",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    "7k/5Q2/8/8/8/8/8/K7 w - - 97 200",
    "8/8/8/8/8/5k2/5p2/5K2 w - - 0 1",
    "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 90 198",
    "q3k2q/8/8/8/8/8/8/Q3K2Q b - - 0 1",
    "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 0 3",
)
CHESS960_BREAK_PROBABILITY = 0.02  # per ply
# Castling of Chess960: the king stays, the rook stays, both change places, a king on b1 or b8,
# inner and outer rooks on one side (also as X-FEN), rooks that shield the king, other rooks in the
# way.
CHESS960_FENS = (
    "1k4r1/8/8/8/8/8/8/1K4R1 w Gg - 0 1",
    "6kr/8/8/8/8/8/8/RK5R w HAh - 0 1",
    "rk3r2/8/8/8/8/8/8/4KR2 w Ffa - 0 1",
    "3r1kr1/8/8/8/8/8/8/R4KR1 w GAgd - 0 1",
    "4k3/8/8/8/8/8/8/qRK5 w B - 0 1",
    "rrk4r/8/8/8/8/8/8/qRK4R w HBhb - 0 1",
    "4k1rq/8/8/8/8/8/8/RR2K1RR w GBg - 0 1",
    "rn2k1r1/ppp1pp1p/3p2p1/5bn1/P7/2N2B2/1PPPPP2/2BNK1RR w Gkq - 4 11",
    "1rr1k1rr/8/8/8/8/8/8/1RR1K1RR w KQkq - 0 1",
    "7k/8/8/8/8/8/q6q/1R1K1R2 w FB - 0 1",
    "2rkr3/8/8/8/8/8/8/2RKR3 w ECec - 0 1",
    "qbrnkrnb/pppppppp/8/8/8/8/PPPPPPPP/QBRNKRNB w KQkq - 0 1",
    "r1k1r2q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K1R2Q w KQkq - 0 1",
    "r1k2r1q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K2R1Q w KQkq - 0 1",
    "8/8/8/4B2b/6nN/8/5P2/2R1K2k w Q - 0 1",
    "2r5/8/8/8/8/8/6PP/k2KR3 w K - 0 1",
    "4r3/3k4/8/8/8/8/6PP/qR1K1R2 w KQ - 0 1",
)
STARTS = (*(position.fen for position in PERFT_POSITIONS), *EDGE_FENS)


def wanted_positions(in_ci: int) -> int:
    """The number of positions to compare: `in_ci`, or what `make fuzz` asks for."""
    return int(os.environ.get("SELFMATE_FUZZ_POSITIONS", in_ci))


def choose_move(board: chess.Board, rng: random.Random) -> chess.Move:
    """Mostly any move; at times a sharp one, or one that goes back where it came from."""
    moves = list(board.legal_moves)
    mood, sharpness = rng.random(), 0.4 if board.chess960 else 0.1
    if mood < sharpness:
        sharp = [m for m in moves if m.promotion or board.is_en_passant(m) or board.is_castling(m)]
        moves = sharp or moves
    elif mood < sharpness + 0.15 and len(board.move_stack) >= 2:
        last = board.move_stack[-2]
        back = [
            m for m in moves if (m.from_square, m.to_square) == (last.to_square, last.from_square)
        ]
        moves = back or moves
    return rng.choice(moves)


def fen_of(board: chess.Board) -> str:
    """The FEN as we print it."""
    return board.shredder_fen() if board.chess960 else board.fen()


def _start(rng: random.Random, chess960: bool) -> chess.Board:
    if not chess960:
        return chess.Board(chess.STARTING_FEN if rng.random() < 0.6 else rng.choice(STARTS))
    if rng.random() < 0.5:
        return chess.Board.from_chess960_pos(rng.randrange(960))
    return chess.Board(rng.choice(CHESS960_FENS), chess960=True)


def random_games(seed: int, positions: int, *, chess960: bool = False) -> Iterator[chess.Board]:
    """The same board object at each position of seeded random games, `positions` in all.

    Games of Chess960 are broken off early, because most castling is near the start.
    """
    rng = random.Random(seed)
    seen = 0
    while seen < positions:
        board = _start(rng, chess960)
        while seen < positions:
            yield board
            seen += 1
            if is_over(board) or (chess960 and rng.random() < CHESS960_BREAK_PROBABILITY):
                break
            board.push(choose_move(board, rng))
