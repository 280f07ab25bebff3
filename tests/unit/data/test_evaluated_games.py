"""Imports of games with evaluations: each is stored beside its position, and counted."""

from dataclasses import replace
from pathlib import Path

import pytest

from selfmate.data.dataset import NO_EVALUATION, SPLITS, Chunk, ChunkFolder, concatenate_chunks
from selfmate.data.game_filter import GameFilter
from selfmate.rules import uci_code
from unit.data.imports import SETTINGS, games_text, import_all

GAME = """[White "A"]
[WhiteElo "2300"]
[BlackElo "2700"]
[Result "0-1"]

{[%eval 0.2] [%best d2d4]} 1. f3 {[%eval -0.5]} e5 2. a3 {wv=-1.25} Nc6 {+1.5/12 1s} 3. g4
{-M1/9 0s} Qh4# {[%eval #-1]} 0-1

"""


def all_rows(folder: ChunkFolder) -> Chunk:
    return concatenate_chunks(
        [
            folder.read(split, number)
            for split in SPLITS
            for number in range(len(folder.chunk_sizes(split)))
        ]
    )


@pytest.mark.parametrize("skip", [0, 3])
def test_every_position_keeps_its_evaluation_and_best_move(tmp_path: Path, skip: int) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(games_text(5, seed=1) + GAME + games_text(5, seed=2))
    settings = replace(SETTINGS, game_filter=GameFilter(skip_plies=skip))
    folder = import_all([path], tmp_path / "out", settings)
    chunk = all_rows(folder)
    rows = [row for row in range(len(chunk)) if chunk.white_elo[row] == 2300]
    found = {int(chunk.plies_left[row]): int(chunk.evaluations[row]) for row in rows}
    wanted = {6: 20, 5: 50, 4: -125, 3: 150, 2: -10_000, 1: NO_EVALUATION}
    assert found == {left: value for left, value in wanted.items() if left <= 6 - skip}
    assert chunk.is_evaluated.sum() == 5 - skip
    best = {int(chunk.plies_left[row]): int(chunk.target_moves[row]) for row in rows}
    assert best[1] == uci_code("d8h4")
    assert best.get(6, uci_code("d2d4")) == uci_code("d2d4")
    counts = folder.manifest.games
    assert (sum(counts.evaluations.values()), sum(counts.best_moves.values())) == (
        5 - skip,
        int(not skip),
    )
    assert folder.manifest.wdl_curve is None  # so few fit no curve
