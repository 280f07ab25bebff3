"""Mixtures of datasets: exact shares, every row once an epoch, resumed at any row."""

from collections import Counter
from collections.abc import Mapping
from itertools import accumulate, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfmate.data.dataset import Chunk, ChunkFolder, ChunkStream
from selfmate.data.mixture import Mixture
from unit.data.imports import SETTINGS, game_files, import_all


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[ChunkFolder]:
    """Three, of different sizes."""
    path = tmp_path_factory.mktemp("mixture")
    files = game_files(path, 6)
    parts = (files[:3], files[3:5], files[5:])
    return [import_all(part, path / str(n), SETTINGS) for n, part in enumerate(parts)]


def rows_of(batch: Mapping[int, Chunk]) -> list[tuple[int, int, int]]:
    """Folder, game and ply of every row."""
    return [
        (number, int(game), int(left))
        for number, chunk in batch.items()
        for game, left in zip(chunk.games, chunk.plies_left, strict=True)
    ]


def test_one_folder_is_its_stream(folders: list[ChunkFolder]) -> None:
    mixture = Mixture(folders[:1], (), seed=3)
    stream = ChunkStream(folders[0], "training", seed=3)
    batches = zip(mixture.batches(50, 400, 64), stream.batches(50, 400, 64), strict=True)
    for found, wanted in batches:
        assert rows_of(found) == rows_of({0: wanted})


def test_without_shares_an_epoch_has_every_row_once(folders: list[ChunkFolder]) -> None:
    mixture = Mixture(folders, (), seed=3)
    counts = [folder.counts["training"] for folder in folders]
    assert mixture.count == sum(counts)
    seen = Counter(row for batch in mixture.batches(0, mixture.count, 37) for row in rows_of(batch))
    assert abs(len(seen) - mixture.count) <= len(folders)  # but for a row at the seams


def test_shares_hold_in_every_batch(folders: list[ChunkFolder]) -> None:
    mixture = Mixture(folders, (0.5, 0.3, 0.2), seed=3)
    for batch in mixture.batches(0, 1000, 100):
        sizes = [len(batch[number]) for number in range(3)]
        assert sum(sizes) == 100
        assert all(abs(a - b) <= 1 for a, b in zip(sizes, (50, 30, 20), strict=True))


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.integers(1, 200), min_size=1, max_size=6),
    st.lists(st.floats(0.001, 1000), min_size=3, max_size=3),
)
def test_a_mixture_resumes_at_any_batch(
    folders: list[ChunkFolder], steps: list[int], shares: list[float]
) -> None:
    mixture = Mixture(folders, shares, seed=5)
    total = sum(steps)
    unbroken = [row for batch in mixture.batches(0, total, total) for row in rows_of(batch)]
    bounds = list(accumulate(steps, initial=0))
    in_steps = [
        row
        for start, stop in pairwise(bounds)
        for batch in mixture.batches(start, stop, 16)
        for row in rows_of(batch)
    ]
    for number in range(len(folders)):
        assert [row for row in in_steps if row[0] == number] == [
            row for row in unbroken if row[0] == number
        ]
    assert len(in_steps) == total


def test_a_tiny_share_takes_its_rows_now_and_then(folders: list[ChunkFolder]) -> None:
    batches = list(Mixture(folders[:2], (999.0, 1.0), seed=1).batches(0, 2000, 10))
    assert sum(len(batch[1]) for batch in batches if 1 in batch) == 2
    assert sum(len(batch[0]) for batch in batches) == 1998
