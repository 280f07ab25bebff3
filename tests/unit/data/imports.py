"""Games to import, and imports of them."""

import io
from collections.abc import Sequence
from pathlib import Path

from selfmate.data.dataset import ChunkFolder
from selfmate.data.game_filter import GameFilter
from selfmate.data.pgn_import import GameImport, ImportSettings
from selfmate.rules import random_games, write_pgn

STRONG = {"WhiteElo": "2500", "BlackElo": "2400"}
SETTINGS = ImportSettings(
    game_filter=GameFilter(skip_plies=4), validation=0.3, chunk_rows=150, seed=7
)
RUN_ROWS = 400  # many small runs


def games_text(count: int, seed: int, **tags: str) -> str:
    """Games of strong players that ended by adjudication, if nothing else is said."""
    file = io.StringIO()
    all_tags = STRONG | {"Termination": "adjudication"} | tags
    write_pgn(random_games(count, seed=seed, max_plies=50), file, tags=[all_tags] * count)
    return file.getvalue()


def game_files(folder: Path, count: int = 5) -> list[Path]:
    """Small ones: reading takes a step for each."""
    files = [folder / f"{number}.pgn" for number in range(count)]
    for number, path in enumerate(files):
        path.write_text(games_text(12, seed=number))
    return files


def import_all(
    files: Sequence[Path],
    out: Path,
    settings: ImportSettings = SETTINGS,
    *,
    run_rows: int = RUN_ROWS,
) -> ChunkFolder:
    """All of it, without a stop."""
    work = GameImport(files, out, settings, run_rows=run_rows)
    try:
        for _ in work.run():
            pass
    finally:
        work.close()
    return ChunkFolder(out)
