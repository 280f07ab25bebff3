"""Texts made to exhaust time or memory meet bounds."""

import io
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import zstandard

from selfmate._core import PgnReader
from selfmate.rules.pgn import read_pgn

GOOD = b'[Event "good"]\n1. e4 *\n'
MIB = 1 << 20

# Run apart, so that the peak memory measured is the reading's own.
READ_AND_MEASURE = """
import resource, sys
from selfmate.rules.pgn import read_pgn
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
games = dropped = 0
for chunk in read_pgn(sys.argv[1], threads=2):
    games += len(chunk.games)
    dropped += len(chunk.dropped)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(games, dropped, (after - before) // 1024)
"""


def read_apart(path: Path) -> tuple[int, int, int]:
    """Games, dropped games, and the growth of peak memory in MiB."""
    command = [sys.executable, "-c", READ_AND_MEASURE, str(path)]
    out = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    games, dropped, grown = map(int, out.split())
    return games, dropped, grown


def endless_comment(size_mib: int) -> Iterator[bytes]:
    yield GOOD + b'[Event "bomb"]\n1. e4 {'
    for _ in range(size_mib):
        yield b"x" * MIB
    yield b"} e5 *\n" + GOOD


@pytest.mark.memory
def test_a_huge_comment(tmp_path: Path) -> None:
    path = tmp_path / "comment.pgn"
    with path.open("wb") as file:
        file.writelines(endless_comment(50))
    games, dropped, grown = read_apart(path)
    assert (games, dropped) == (2, 1)
    assert grown < 32


@pytest.mark.memory
def test_a_compressed_bomb(tmp_path: Path) -> None:
    path = tmp_path / "bomb.pgn.zst"
    with path.open("wb") as file, zstandard.ZstdCompressor().stream_writer(file) as writer:
        for part in endless_comment(400):
            writer.write(part)
    assert path.stat().st_size < MIB
    games, dropped, grown = read_apart(path)
    assert (games, dropped) == (2, 1)
    assert grown < 48


def test_a_window_that_is_too_large_is_refused() -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=30, enable_ldm=False)
    packed = io.BytesIO()
    compressor = zstandard.ZstdCompressor(compression_params=parameters)
    with compressor.stream_writer(packed, closefd=False) as writer:
        writer.write(GOOD)
    packed.seek(0)
    with pytest.raises(ValueError, match="is damaged"):
        list(read_pgn(packed))


@pytest.mark.parametrize(
    "text",
    [
        b"1. e4 " + b"(" * 100_000 + b" e5 *\n",
        b"1. e4 " + b"(" * 100_000 + b")" * 100_000 + b" e5 *\n",
        b"1. e4 " + b"{" * 1_000_000 + b" e5 *\n",
        b'[Event "' + b'" ' * 500_000,
        b"( 1-0 " * 170_000,
        b"x 1-0 " * 170_000,
        b"{ 1-0 " * 170_000,
        b'[Event "x"]\n{' * 50_000,
        b"[" * 1_000_000,
        b"[\n" * 500_000,
        b'[a "b"]' * 140_000,
        b"\n" * 1_000_000,
        b" " * 1_000_000 + b"[",
        b"%\n" * 500_000,
        b"1. e4 * " * 125_000,
        b"Nf3 Nf6 Ng1 Ng8 " * 60_000,
        b"1" * 1_000_000,
        b"e" * 1_000_000,
        b"e.p." * 250_000,
        b"$1" * 500_000,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_cost_grows_with_the_text_not_its_square(text: bytes) -> None:
    """Processor time, so that a busy machine does not matter; a square would give 16."""
    assert cpu_seconds([text]) < 10 * cpu_seconds([text[: len(text) // 4]]) + 0.05


def test_a_byte_at_a_time_costs_no_square_either() -> None:
    assert cpu_seconds([b"x"] * 200_000) < 10 * cpu_seconds([b"x"] * 50_000) + 0.05


def cpu_seconds(parts: list[bytes]) -> float:
    """The cheapest of three readings."""
    costs = []
    for _ in range(3):
        began = time.process_time()
        reader = PgnReader(1)
        for part in parts:
            reader.feed(part)
        reader.finish()
        reader.take()
        reader.take_dropped()
        costs.append(time.process_time() - began)
    return min(costs)
