"""How fast games are imported, end to end: by `selfmate import`, and by a script in Python."""

import io
import tempfile
from functools import partial
from pathlib import Path

from selfmate.bench import Figures, import_in_python
from selfmate.bench.measure import best_rates, ratio
from selfmate.data.game_filter import GameFilter
from selfmate.data.game_import import GameImport, ImportSettings
from selfmate.rules import random_games, write_pgn

ROUNDS = 5
GAMES = 2_000
GAMES_IN_PYTHON = 40
MAX_PLIES = 200  # about as long as engines' games are


def run(rounds: int = ROUNDS) -> Figures:
    """Both over one generated file, of which the script reads only the beginning; positions that
    were kept, each second."""
    text = pgn_text(GAMES)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.pgn"
        path.write_text(text, "ascii")
        beginning = pgn_text(GAMES_IN_PYTHON)
        rates = best_rates(
            {
                "import": partial(import_ours, path),
                "import_python_chess": partial(import_with_python_chess, beginning),
            },
            rounds,
        )
    return {
        "import_x_vs_python_chess": ratio(rates["import"], rates["import_python_chess"]),
        **{f"{name}_positions_per_s": rate for name, rate in rates.items()},
    }


def pgn_text(games: int) -> str:
    """Games of which a third is to be left out: every fourth for a rating, every tenth for time."""
    file = io.StringIO()
    tags = [
        {
            "WhiteElo": "2000" if number % 4 == 3 else "2600",
            "BlackElo": "2500",
            "Termination": "time forfeit" if number % 10 == 9 else "adjudication",
        }
        for number in range(games)
    ]
    write_pgn(random_games(games, seed=1, max_plies=MAX_PLIES), file, tags=tags)
    return file.getvalue()


def import_ours(path: Path) -> float:
    with tempfile.TemporaryDirectory() as folder:
        work = GameImport([path], Path(folder) / "chunks", ImportSettings())
        for _ in work.run():
            pass
        work.close()
    assert work.manifest is not None
    return sum(work.manifest.positions.values())


def import_with_python_chess(text: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "chunks"
        return import_in_python.import_games(io.StringIO(text), out, GameFilter())
