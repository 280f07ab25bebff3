"""Chunks as files: what was written comes back, what is something else is refused."""

import io
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfmate.data.dataset import (
    ADDED_COLUMNS,
    COLUMNS,
    Chunk,
    chunk_bytes,
    concatenate_chunks,
    parse_chunk,
)


def made_up(rows: int, seed: int = 1) -> Chunk:
    """Any numbers, as positions are mostly zeros."""
    rng = np.random.default_rng(seed)
    return Chunk(
        **{
            name: rng.integers(0, 50, (rows, *shape)).astype(kind)
            for name, (kind, shape) in COLUMNS.items()
        }
    )


def assert_equal(found: Chunk, wanted: Chunk) -> None:
    for name, column in wanted.columns().items():
        assert found.columns()[name].dtype == column.dtype
        np.testing.assert_array_equal(found.columns()[name], column)


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 3000), st.integers(0, 100))
def test_a_chunk_comes_back(rows: int, seed: int) -> None:
    chunk = made_up(rows, seed)
    assert_equal(parse_chunk(chunk_bytes(chunk), "x.h5", rows), chunk)


def test_the_same_rows_are_the_same_bytes() -> None:
    assert chunk_bytes(made_up(500)) == chunk_bytes(made_up(500))


def test_any_program_that_reads_hdf5_reads_it() -> None:
    chunk = made_up(300)
    with h5py.File(io.BytesIO(chunk_bytes(chunk)), "r") as file:
        assert set(file) == set(COLUMNS)
        np.testing.assert_array_equal(file["stored"][()], chunk.stored)
        np.testing.assert_array_equal(file["games"][17:20], chunk.games[17:20])


def test_rows_can_be_taken_and_joined() -> None:
    chunk = made_up(100)
    parts = [chunk.take(slice(0, 30)), chunk.take(slice(30, 31)), chunk.take(np.arange(31, 100))]
    assert [len(part) for part in parts] == [30, 1, 69]
    assert_equal(concatenate_chunks(parts), chunk)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=8))
def test_damage_is_refused_or_harmless(changes: list[tuple[int, int]]) -> None:
    data = bytearray(DATA)
    for at, value in changes:
        data[at % len(data)] = value
    try:
        chunk = parse_chunk(bytes(data), "x.h5", 60)
    except ValueError as error:
        message = str(error)
        assert message.startswith("x.h5 is not a chunk of positions: ")
    else:
        assert all(len(column) == 60 for column in chunk.columns().values())


DATA = chunk_bytes(made_up(60))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is not a chunk of positions"),
        (b"some text", "is not a chunk of positions"),
        (DATA[:-100], "is not a chunk of positions"),
        (chunk_bytes(made_up(59)), "the column stored is uint8 of"),
    ],
)
def test_something_else_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_chunk(data, "x.h5", 60)


def test_a_column_of_another_kind_is_refused() -> None:
    image = io.BytesIO()
    with h5py.File(image, "w") as file:
        for name, column in made_up(5).columns().items():
            file[name] = column.astype(np.float32) if name == "moves" else column
    with pytest.raises(ValueError, match=r"the column moves is float32 of \(5,\)"):
        parse_chunk(image.getvalue(), "x.h5", 5)


def test_a_column_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    chunk, other = made_up(5), tmp_path / "other.h5"
    other.write_bytes(chunk_bytes(chunk))
    (tmp_path / "raw").write_bytes(chunk.moves.tobytes())
    virtual = h5py.VirtualLayout((5,), "uint16")
    virtual[:] = h5py.VirtualSource(other, "moves", (5,), "uint16")
    ways: dict[str, Callable[[h5py.File], object]] = {
        "is missing": lambda file: file.__setitem__(
            "moves", h5py.ExternalLink(str(other), "moves")
        ),
        "is in another file": lambda file: file.create_virtual_dataset("moves", virtual),
        "is in another": lambda file: file.create_dataset(
            "moves", (5,), "uint16", external=[(str(tmp_path / "raw"), 0, 10)]
        ),
    }
    for reason, lead_elsewhere in ways.items():
        image = io.BytesIO()
        with h5py.File(image, "w") as file:
            for name, column in chunk.columns().items():
                if name != "moves":
                    file[name] = column
            lead_elsewhere(file)
        with pytest.raises(ValueError, match=f"x.h5 is not a chunk of positions: .*moves {reason}"):
            parse_chunk(image.getvalue(), "x.h5", 5)


def test_a_chunk_of_an_older_version_has_neither_evaluations_nor_best_moves() -> None:
    chunk, image = made_up(20), io.BytesIO()
    old = [name for name in COLUMNS if name not in ADDED_COLUMNS]
    with h5py.File(image, "w") as file:
        for name in old:
            file[name] = chunk.columns()[name]
    found = parse_chunk(image.getvalue(), "x.h5", 20)
    for name in old:
        np.testing.assert_array_equal(found.columns()[name], chunk.columns()[name])
    assert not found.is_evaluated.any()
    np.testing.assert_array_equal(found.target_moves, chunk.moves)
