"""Both contestants of `bench import` keep the same positions."""

import io
from pathlib import Path

import h5py
import numpy as np

from selfmate.data.game_filter import GameFilter
from selfmate_benchmarks.game_import import (
    import_games,
    import_ours,
    import_with_python_chess,
    pgn_text,
)
from unit.data.imports import SETTINGS, import_all


def test_both_keep_as_many(tmp_path: Path) -> None:
    text = pgn_text(40)
    (tmp_path / "games.pgn").write_text(text)
    assert import_ours(tmp_path / "games.pgn") == import_with_python_chess(text) > 0


def test_both_keep_the_same(tmp_path: Path) -> None:
    """Compared by game, plies left, result, and earlier occurrences of the position."""
    text = pgn_text(30)
    (tmp_path / "games.pgn").write_text(text)
    ours = import_all([tmp_path / "games.pgn"], tmp_path / "ours")
    chunks = [ours.read(split, number) for split in ours.counts for number in
              range(len(ours.chunk_sizes(split)))]  # fmt: skip
    found = {
        (int(game), int(left), int(result), int(stored[-1]))
        for chunk in chunks
        for game, left, result, stored in zip(
            chunk.games, chunk.plies_left, chunk.results, chunk.stored, strict=True
        )
    }
    wanted = GameFilter(skip_plies=SETTINGS.game_filter.skip_plies)
    import_games(io.StringIO(text), tmp_path / "theirs", wanted)
    (path,) = (tmp_path / "theirs").iterdir()
    with h5py.File(path, "r") as file:
        rest = np.asarray(file["rest"])
    assert found == {(int(r[10]), int(r[6]), int(r[7]), int(r[4])) for r in rest}
