"""The core's encodings against the peer in Python, position by position."""

import os
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import chess
import numpy as np
import pytest
from numpy.typing import NDArray

from oracle.seeded_walks import walks
from selfmate.encodings import (
    ACTION_ENCODINGS,
    ENCODINGS,
    MOVE136,
    action_mask,
    encode,
    legal_move136,
)
from selfmate.rules import Board, GameBatch
from selfmate_benchmarks.peers.rules import ENCODERS, move136

# The reference needs milliseconds a position, so a fuzz run compares a fortieth of its positions.
POSITIONS = max(2500, int(os.environ.get("SELFMATE_FUZZ_POSITIONS", "100000")) // 40)
MOVE_POSITIONS = max(500, POSITIONS // 5)
# A capture that promotes, en passant, and a clock near its limit.
RARE_FENS = (
    "3r3k/4P3/8/8/8/8/8/K7 w - - 0 1",
    "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
    "8/8/8/8/1p6/8/P7/k1K5 b - - 98 250",
)


def followed(game: Iterator[Board]) -> Iterator[tuple[Board, chess.Board]]:
    """Each position of a game as a copy, with python-chess following on a board of its own."""
    twin: chess.Board | None = None
    for board in game:
        if twin is None:
            twin = chess.Board(board.fen())
        else:
            twin.push_uci(board.moves[-1])
        yield board.copy(), twin


def pairs(seed: int, positions: int) -> Iterator[tuple[Board, chess.Board]]:
    for game in walks(seed, positions):
        yield from followed(game)


def test_every_encoding_equals_the_reference() -> None:
    seen_before = 0
    for board, twin in islice(pairs(1, POSITIONS), POSITIONS):
        for name, reference in ENCODERS.items():
            expected = reference(twin)
            actual = encode(name, [board])[0]
            if not np.array_equal(actual, expected):
                wrong = np.argwhere(actual != expected)[:8].tolist()
                raise AssertionError(f"{name} differs at {wrong} in {twin.fen()}")
            if name == "planes68":
                seen_before = max(seen_before, int(expected[56, 0, 0] + expected[57, 0, 0]))
    assert seen_before == 2, "the walks must reach third occurrences"


@pytest.mark.parametrize("fen", RARE_FENS)
def test_rare_positions_equal_the_reference(fen: str) -> None:
    for name, reference in ENCODERS.items():
        np.testing.assert_array_equal(encode(name, [Board(fen)])[0], reference(chess.Board(fen)))


def test_moves_equal_the_reference() -> None:
    for board, twin in islice(pairs(2, MOVE_POSITIONS), MOVE_POSITIONS):
        rows, offsets = legal_move136([board])
        expected = [move136(twin, chess.Move.from_uci(uci)) for uci in board.legal_moves()]
        assert offsets.tolist() == [0, len(expected)]
        np.testing.assert_array_equal(rows, np.reshape(expected, (-1, 136)), twin.fen())


@pytest.mark.parametrize("name", ENCODINGS)
def test_batches_threads_and_types_agree(name: str) -> None:
    boards = [board for board, _ in islice(pairs(3, 200), 200)]
    singly = np.concatenate([encode(name, [board]) for board in boards])
    assert singly.dtype == ENCODINGS[name].dtype
    assert singly.shape == (len(boards), *ENCODINGS[name].shape)
    np.testing.assert_array_equal(encode(name, boards, threads=3), singly)
    floats = encode(name, boards, dtype="float32")
    assert floats.dtype == np.float32
    np.testing.assert_array_equal(floats, singly)


@pytest.mark.parametrize("name", ENCODINGS)
def test_every_value_of_a_reused_buffer_is_written(name: str) -> None:
    boards = [Board(), Board("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1")]
    out = np.full((2, *ENCODINGS[name].shape), 99, ENCODINGS[name].dtype)
    assert encode(name, boards, out=out) is out
    np.testing.assert_array_equal(out, encode(name, boards))


def test_values_lie_in_their_ranges() -> None:
    boards = [board for board, _ in islice(pairs(4, 500), 500)]
    late = Board("4k3/8/8/8/8/8/8/4K2R w K - 9999 9999")
    for name in ("features839", "planes68"):
        values = encode(name, [*boards, late])
        assert values.min() == 0
        assert values.max() == 1
    assert encode("tokens78", boards).max() == 15


def test_moves_as_floats_and_on_threads() -> None:
    boards = [board for board, _ in islice(pairs(5, 100), 100)]
    rows, offsets = legal_move136(boards)
    assert rows.shape == (offsets[-1], *MOVE136.shape)
    assert rows.dtype == MOVE136.dtype
    floats, same_offsets = legal_move136(boards, dtype="float32", threads=2)
    assert floats.dtype == np.float32
    np.testing.assert_array_equal(floats, rows)
    np.testing.assert_array_equal(same_offsets, offsets)


def test_no_boards_make_empty_arrays() -> None:
    for name, encoding in ENCODINGS.items():
        assert encode(name, []).shape == (0, *encoding.shape)
    rows, offsets = legal_move136([])
    assert rows.shape == (0, 136)
    assert offsets.tolist() == [0]


def test_en_passant_without_a_legal_capture_is_not_encoded() -> None:
    for line, available in ((["e2e4"], 0), (["e2e4", "a7a6", "e4e5", "d7d5"], 1)):
        board = Board()
        for uci in line:
            board.push(uci)
        assert encode("features839", [board])[0, 773:837].sum() == available
        assert encode("tokens78", [board])[0, 69] == 14 + available
        assert encode("planes68", [board])[0, 55].sum() == available


def nine_wide() -> NDArray[np.float32]:
    return np.zeros((1, 68, 8, 9), np.float32)[:, :, :, :8]


def read_only() -> NDArray[np.float32]:
    out = np.zeros((1, 68, 8, 8), np.float32)
    out.flags.writeable = False
    return out


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: np.zeros((1, 67, 8, 8), np.float32),
        lambda: np.zeros((2, 68, 8, 8), np.float32),
        lambda: np.zeros((1, 68, 64), np.float32),
        lambda: np.zeros((1, 68, 8, 8), np.float64),
        lambda: np.zeros((1, 68, 8, 8), np.uint8),
        lambda: [0.0],
        nine_wide,
        read_only,
    ],
)
def test_wrong_buffers_are_refused(wrong: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match=r"float32 array of shape \(1,68,8,8,\)"):
        encode("planes68", [Board()], out=wrong())


def test_wrong_names_are_refused_with_the_right_ones() -> None:
    with pytest.raises(ValueError, match=r"'planes'; known are .*planes68"):
        encode("planes", [Board()])
    with pytest.raises(ValueError, match="move136"):
        encode("move136", [Board()])
    with pytest.raises(ValueError, match="known are float32, uint8"):
        encode("onehot768", [Board()], dtype="int64")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="needs float32"):
        encode("planes68", [Board()], dtype="uint8")
    with pytest.raises(ValueError, match="threads"):
        encode("planes68", [Board()], threads=0)


def test_only_boards_are_encoded() -> None:
    for wrong in ([None], ["e2e4"], 3, None, [Board(), object()]):
        with pytest.raises(ValueError, match="games must be a GameBatch or a sequence of Board"):
            encode("planes68", wrong)  # type: ignore[arg-type]


def test_a_batch_is_encoded_like_its_boards() -> None:
    batch = GameBatch(50, seed=2)
    for _ in range(40):
        batch.step(batch.random_moves())
    boards = [batch.board(slot) for slot in range(len(batch))]
    for name in ENCODINGS:
        np.testing.assert_array_equal(encode(name, batch), encode(name, boards))
    for action_encoding in ACTION_ENCODINGS:
        np.testing.assert_array_equal(
            action_mask(action_encoding, batch), action_mask(action_encoding, boards)
        )
