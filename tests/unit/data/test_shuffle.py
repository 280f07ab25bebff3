"""Sorting by random keys on disk, against sorting in memory."""

from pathlib import Path

import numpy as np
import pytest

from selfmate.data import shuffle as shuffled_rows
from selfmate.data.shuffle import RowRuns, Rows, chunk_of, rows_of, shuffle_keys
from unit.data.test_chunk import assert_equal, made_up

SEED = 11


def rows_like_games(count: int) -> Rows:
    chunk = made_up(count, 2)
    chunk.games[:] = np.arange(count) // 40
    chunk.plies_left[:] = 40 - np.arange(count) % 40
    return rows_of(chunk)


def write(folder: Path, rows: Rows, parts: "np.ndarray[tuple[int], np.dtype[np.uint8]]") -> None:
    """In runs of uneven size."""
    runs = RowRuns(folder, SEED)
    for begin, end in ((0, 700), (700, 701), (701, 2000)):
        runs.append(rows[begin:end], parts[begin:end], next_game=end // 40)


def test_rows_and_chunks_are_the_same() -> None:
    chunk = made_up(123)
    assert_equal(chunk_of(rows_of(chunk)), chunk)


@pytest.mark.parametrize("bucket_rows", [1, 50, 999, 10_000])
def test_all_rows_come_in_the_order_of_their_keys(
    bucket_rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shuffled_rows, "BUCKET_ROWS", bucket_rows)
    rows = rows_like_games(2000)
    parts = (np.random.default_rng(3).random(2000) < 0.3).astype(np.uint8)
    write(tmp_path, rows, parts)
    runs = RowRuns(tmp_path, SEED)  # read from the disk
    assert runs.next_game == 50
    for part in (0, 1):
        own = rows[parts == part]
        wanted = own[np.argsort(shuffle_keys(SEED, own))]
        found = runs.shuffled(part)
        assert len(found) == len(own)
        pieces = [found.read(at, min(at + 77, len(own))) for at in range(0, len(own), 77)]
        np.testing.assert_array_equal(np.concatenate(pieces), wanted)
        np.testing.assert_array_equal(found.read(100, 300), wanted[100:300])


def test_keys_mix_games_well() -> None:
    rows = rows_like_games(2000)
    order = chunk_of(rows[np.argsort(shuffle_keys(SEED, rows))]).games
    assert np.mean(order[1:] == order[:-1]) < 0.05
    assert np.any(order != chunk_of(rows[np.argsort(shuffle_keys(SEED + 1, rows))]).games)


@pytest.mark.parametrize("left", [0, 10, 40_000])
def test_a_damaged_run_is_refused(tmp_path: Path, left: int) -> None:
    write(tmp_path, rows_like_games(2000), np.zeros(2000, np.uint8))
    path = tmp_path / "run-000001"
    path.write_bytes(path.read_bytes()[: min(left, path.stat().st_size - 1)])
    with pytest.raises(ValueError, match=r"run-000001 is damaged: delete the folder"):
        RowRuns(tmp_path, SEED)


def test_a_folder_without_runs_has_no_rows(tmp_path: Path) -> None:
    runs = RowRuns(tmp_path, SEED)
    assert (runs.next_game, len(runs.shuffled(0)), len(runs.shuffled(1))) == (0, 0, 0)
