"""Makes openings.txt: varied, balanced lines of six to eight plies.

    python scripts/make_openings.py src/selfmate/arena/openings.txt

Each line is a random walk: at every ply Stockfish lists its best eight moves, and one of those
within 60 centipawns of the best is played at random. A line is kept if a longer search finds the
last position within 40 centipawns of even and no kept line has the same last position or the same
first six plies. The result depends on the version of Stockfish.
"""

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import chess
import chess.engine

from selfmate.players.engine import find_program

LINES = 500
SEED = 1
CANDIDATES, CANDIDATE_NODES, CANDIDATE_MARGIN_CP = 8, 20_000, 60
BALANCE_NODES, BALANCE_CP = 200_000, 40
HEADER = """# Openings for matches: UCI moves from the standard start, one line each.
# Made by `python scripts/make_openings.py` with {engine}, seed {seed}.
"""


@contextmanager
def stockfish() -> Iterator[chess.engine.SimpleEngine]:
    path = find_program("stockfish")
    if path is None:
        raise SystemExit("Stockfish is not installed; Debian: apt install stockfish")
    with chess.engine.SimpleEngine.popen_uci(path) as engine:
        yield engine


def white_cp(info: chess.engine.InfoDict) -> int:
    return info["score"].white().score(mate_score=10_000)


def good_moves(engine: chess.engine.SimpleEngine, board: chess.Board) -> list[chess.Move]:
    """Moves near the best one, by a short search."""
    limit = chess.engine.Limit(nodes=CANDIDATE_NODES)
    infos = engine.analyse(board, limit, multipv=CANDIDATES)
    best = white_cp(infos[0])
    near = [info for info in infos if abs(white_cp(info) - best) <= CANDIDATE_MARGIN_CP]
    return [info["pv"][0] for info in near]


def random_line(engine: chess.engine.SimpleEngine, rng: random.Random) -> chess.Board:
    board = chess.Board()
    for _ in range(rng.choice((6, 7, 8))):
        board.push(rng.choice(good_moves(engine, board)))
    return board


def is_balanced(engine: chess.engine.SimpleEngine, board: chess.Board) -> bool:
    info = engine.analyse(board, chess.engine.Limit(nodes=BALANCE_NODES))
    return abs(white_cp(info)) <= BALANCE_CP


def make_lines(engine: chess.engine.SimpleEngine, count: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    lines: list[str] = []
    seen: set[str] = set()
    while len(lines) < count:
        board = random_line(engine, rng)
        moves = [move.uci() for move in board.move_stack]
        beginning = " ".join(moves[:6])
        if board.epd() in seen or beginning in seen or not is_balanced(engine, board):
            continue
        seen |= {board.epd(), beginning}
        lines.append(" ".join(moves))
        print(f"\r{len(lines)} of {count} lines", end="", file=sys.stderr, flush=True)
    return lines


def main() -> None:
    with stockfish() as engine:
        header = HEADER.format(engine=engine.id["name"], seed=SEED)
        lines = make_lines(engine, LINES, SEED)
    Path(sys.argv[1]).write_text(header + "\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
