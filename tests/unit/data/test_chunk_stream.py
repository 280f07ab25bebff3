"""An endless sequence of positions, in which every place is the same row wherever one starts."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfmate.data.dataset import Chunk, ChunkFolder, ChunkStream, Split, concatenate_chunks
from unit.data.imports import games_text, import_all
from unit.data.test_chunk import assert_equal


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> ChunkFolder:
    """Several chunks of each kind, the last ones smaller."""
    place = tmp_path_factory.mktemp("stream")
    (place / "games.pgn").write_text(games_text(40, seed=1))
    folder = import_all([place / "games.pgn"], place / "chunks")
    assert min(len(folder.chunk_sizes("training")), len(folder.chunk_sizes("validation"))) > 1
    return folder


def rows_between(stream: ChunkStream, start: int, stop: int, size: int) -> list[tuple[int, int]]:
    """Which positions come: game and plies left."""
    chunk = concatenate_chunks(list(stream.batches(start, stop, size)))
    return list(zip(chunk.games.tolist(), chunk.plies_left.tolist(), strict=True))


@pytest.mark.parametrize("split", ["training", "validation"])
def test_an_epoch_has_every_position_once(folder: ChunkFolder, split: Split) -> None:
    stream, count = ChunkStream(folder, split, seed=5), folder.counts[split]
    every = Counter(
        (game, left)
        for number in range(len(folder.chunk_sizes(split)))
        for chunk in [folder.read(split, number)]
        for game, left in zip(chunk.games.tolist(), chunk.plies_left.tolist(), strict=True)
    )
    epochs = [rows_between(stream, n * count, (n + 1) * count, 64) for n in range(3)]
    assert all(Counter(epoch) == every for epoch in epochs)
    assert len({tuple(epoch) for epoch in epochs}) == 3
    assert rows_between(ChunkStream(folder, split, seed=6), 0, count, 64) != epochs[0]


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 3000), st.integers(0, 700), st.integers(1, 300), st.integers(1, 300))
def test_a_place_is_the_same_row_wherever_one_starts(
    folder: ChunkFolder, start: int, length: int, size: int, other_size: int
) -> None:
    stream = ChunkStream(folder, "validation", seed=5)
    if not length:
        assert not list(stream.batches(start, start, size))
        return
    batches = list(stream.batches(start, start + length, size))
    assert all(len(batch) == size for batch in batches[:-1])
    assert sum(map(len, batches)) == length
    middle = start + length // 2
    parts = [*stream.batches(start, middle, other_size)]
    parts += stream.batches(middle, start + length, other_size)
    assert_equal(concatenate_chunks(parts), concatenate_chunks(batches))


def test_one_chunk_at_a_time_is_read(folder: ChunkFolder) -> None:
    watched = WatchedFolder(folder.path)
    batches = ChunkStream(watched, "training", seed=1).batches(0, folder.counts["training"], 10)
    next(batches)
    assert len(watched.numbers) == 1
    assert sum(map(len, batches)) == folder.counts["training"] - 10
    assert sorted(watched.numbers) == list(range(len(folder.chunk_sizes("training"))))


class WatchedFolder(ChunkFolder):
    """Notes what is read."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.numbers: list[int] = []

    def read(self, split: Split, number: int) -> Chunk:
        self.numbers.append(number)
        return super().read(split, number)


def test_a_batch_has_all_columns(folder: ChunkFolder) -> None:
    (batch,) = ChunkStream(folder, "training", seed=1).batches(3, 10, 99)
    assert all(len(column) == 7 for column in batch.columns().values())
    assert all(column.flags.c_contiguous for column in batch.columns().values())
    assert batch.stored.dtype == np.uint8


def test_a_split_without_positions_is_refused(tmp_path: Path) -> None:
    (tmp_path / "one.pgn").write_text(games_text(1, seed=1))
    folder = import_all([tmp_path / "one.pgn"], tmp_path / "chunks")
    empty: Split = "training" if folder.counts["validation"] else "validation"
    with pytest.raises(ValueError, match=f"has no {empty} positions"):
        ChunkStream(folder, empty, seed=1)
