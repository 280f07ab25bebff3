"""Chunks of games by random movers, to learn from in tests."""

from pathlib import Path

from selfmate.data.game_filter import GameFilter
from selfmate.data.pgn_import import GameImport, ImportSettings
from selfmate.rules import random_games, write_pgn

RATED = {"WhiteElo": "2400", "BlackElo": "2500"}
# Of long games the last plies, a few hundred in all.
SETTINGS = ImportSettings(
    game_filter=GameFilter(skip_plies=280), validation=0.3, chunk_rows=100, seed=1
)


def import_random_games(folder: Path, games: int = 12) -> None:
    records = random_games(games, seed=4)
    source = folder.with_suffix(".pgn")
    with source.open("w") as file:
        write_pgn(records, file, tags=[RATED] * games)
    job = GameImport([source], folder, SETTINGS)
    try:
        for _ in job.run():
            pass
    finally:
        job.close()
