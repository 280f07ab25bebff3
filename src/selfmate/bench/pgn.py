"""How fast PGN is read: by the core on one thread and two, by python-chess, by pgn-extract."""

import io
import os
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import chess.pgn

from selfmate._core import Board
from selfmate.rules.pgn import movetext, read_pgn, tag_text

SEED = 2024
TEXT_BYTES = 10_000_000
PYTHON_CHESS_BYTES = 250_000
CORE_TURNS = 4
PGN_EXTRACT_HOME = "/usr/games/pgn-extract"  # where Debian puts it, often not on PATH


def run(rounds: int = 3) -> dict[str, float | None]:
    """Best of interleaved rounds over one generated file; ratios compare those bests.

    python-chess reads only the beginning of the file: it would take most of a minute for all.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.pgn"
        path.write_bytes(benchmark_text())
        prefix = beginning(path)
        size = path.stat().st_size
        readers: dict[str, tuple[Callable[[], object], int]] = {
            "core": (lambda: read_with_core(path, 1), size),
            "core_two_threads": (lambda: read_with_core(path, 2), size),
            "python_chess": (lambda: read_with_python_chess(prefix), len(prefix)),
        }
        if program := find_pgn_extract():
            readers["pgn_extract"] = (lambda: read_with_pgn_extract(program, path), size)
        best = dict.fromkeys(readers, 0.0)
        # The core needs a tenth of a second, which any other process can spoil: more turns.
        core_turns = ["core", "core_two_threads"] * CORE_TURNS
        for name in [*readers, *core_turns] * rounds:
            best[name] = max(best[name], mb_per_s(*readers[name]))
    return summary(best)


def summary(best: dict[str, float]) -> dict[str, float | None]:
    core = best["core"]
    extract = best.get("pgn_extract")
    return {
        "pgn_mb_per_s": core,
        "pgn_two_threads_mb_per_s": best["core_two_threads"],
        "pgn_two_threads_x": best["core_two_threads"] / core,
        "pgn_python_chess_mb_per_s": best["python_chess"],
        "pgn_x_vs_python_chess": core / best["python_chess"],
        "pgn_extract_mb_per_s": extract,
        "pgn_x_vs_pgn_extract": core / extract if extract else None,
    }


def mb_per_s(read: Callable[[], object], size: int) -> float:
    began = time.perf_counter()
    read()
    return size / 1e6 / (time.perf_counter() - began)


def benchmark_text(size: int = TEXT_BYTES) -> bytes:
    """Random games with tags, the same in every run."""
    rng = random.Random(SEED)
    text = io.StringIO()
    number = 0
    while text.tell() < size:
        number += 1
        text.write(game_text(rng, number))
    return text.getvalue().encode()


def game_text(rng: random.Random, number: int) -> str:
    board = Board()
    sans = []
    while (outcome := board.outcome()) is None:
        move = rng.choice(board.legal_moves())
        sans.append(board.san(move))
        board.push(move)
    result = {"white": "1-0", "black": "0-1", None: "1/2-1/2"}[outcome.winner]
    tags = {
        "Event": "Random games",
        "Site": "?",
        "Date": "2024.01.01",
        "Round": str(number),
        "White": "Random player",
        "Black": "Random player",
        "Result": result,
        "WhiteElo": str(rng.randrange(600, 2800)),
        "BlackElo": str(rng.randrange(600, 2800)),
    }
    return tag_text(tags) + "\n" + movetext(sans, result) + "\n"


def beginning(path: Path) -> str:
    """Whole games of about PYTHON_CHESS_BYTES."""
    with path.open() as file:
        text = file.read(PYTHON_CHESS_BYTES)
    return text[: text.rindex("[Event ")]


def read_with_core(path: Path, threads: int) -> int:
    games = 0
    for chunk in read_pgn(path, threads=threads):
        if chunk.dropped:
            raise RuntimeError(f"the benchmark's own game was refused: {chunk.dropped[0]}")
        games = chunk.games_so_far
    return games


def read_with_python_chess(text: str) -> int:
    stream = io.StringIO(text)
    games = 0
    while chess.pgn.read_game(stream) is not None:
        games += 1
    return games


def find_pgn_extract() -> str | None:
    if found := shutil.which("pgn-extract"):
        return found
    return PGN_EXTRACT_HOME if os.access(PGN_EXTRACT_HOME, os.X_OK) else None


def read_with_pgn_extract(program: str, path: Path) -> None:
    # -r parses and plays all games but writes none, the fairest equal of reading into memory.
    command = [program, "-s", "-r", str(path)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
