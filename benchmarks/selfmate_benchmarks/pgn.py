"""Reading PGN: the core on one and two threads, beside python-chess and pgn-extract."""

import io
import subprocess
import tempfile
from functools import partial
from pathlib import Path

import chess.pgn

from selfmate.players.engine import find_program
from selfmate.rules import random_games, read_pgn, write_pgn
from selfmate_benchmarks import Results, best_rates, ratio

ROUNDS = 5
GAMES = 4_000  # some 12 MB
PYTHON_CHESS_BYTES = 250_000


def run(rounds: int = ROUNDS) -> Results:
    """All contestants over one generated file; python-chess reads only its beginning."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.pgn"
        with path.open("w", encoding="ascii") as file:
            write_pgn(random_games(GAMES, seed=1), file)
        extract = find_program("pgn-extract")
        rates = best_rates(
            {
                "pgn": partial(read_ours, path),
                "pgn_two_threads": partial(read_ours, path, threads=2),
                "pgn_python_chess": partial(read_with_python_chess, beginning(path)),
                "pgn_extract": partial(read_with_pgn_extract, extract, path) if extract else None,
            },
            rounds,
        )
    results: Results = {
        "pgn_x_vs_python_chess": ratio(rates["pgn"], rates["pgn_python_chess"]),
        "pgn_x_vs_pgn_extract": ratio(rates["pgn"], rates["pgn_extract"]),
        "pgn_two_threads_x_vs_one": ratio(rates["pgn_two_threads"], rates["pgn"]),
    }
    return results | {f"{name}_mb_per_s": rate for name, rate in rates.items()}


def beginning(path: Path) -> str:
    """Whole games of about PYTHON_CHESS_BYTES."""
    with path.open(encoding="ascii") as file:
        text = file.read(PYTHON_CHESS_BYTES)
    return text[: text.rindex("[Event ")]


def megabytes(path: Path) -> float:
    return path.stat().st_size / 1e6


def read_ours(path: Path, threads: int = 1) -> float:
    games = sum(len(chunk.games) for chunk in read_pgn(path, threads=threads))
    if games != GAMES:
        raise RuntimeError(f"{GAMES - games} of the benchmark's own games were dropped")
    return megabytes(path)


def read_with_python_chess(text: str) -> float:
    stream = io.StringIO(text)
    while chess.pgn.read_game(stream) is not None:
        pass
    return len(text) / 1e6


def read_with_pgn_extract(program: str, path: Path) -> float:
    # -r parses and plays all games but writes none: the closest to reading into memory.
    subprocess.run([program, "-s", "-r", str(path)], check=True, capture_output=True)
    return megabytes(path)
