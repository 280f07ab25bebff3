"""Position records: the same planes and moves as the games have, and nothing from forged bytes."""

from contextlib import suppress
from itertools import chain, islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from oracle.seeded_walks import walks
from selfmate.encodings import ACTION_ENCODINGS, actions_of_moves, encode, legal_actions
from selfmate.encodings.records import (
    RECORD_BYTES,
    actions_of,
    encode_game_records,
    encode_records,
    is_white_to_move,
    legal_of,
    planes_of,
)
from selfmate.rules import Board, GameBatch, random_games, uci_code

POSITIONS = 1500
STEPS, STATE = 32, 56  # where the boards before and the bytes behind them begin


@pytest.fixture(scope="module")
def boards() -> list[Board]:
    """Rich in promotions, castling, en passant, repetitions, other starts and high counters."""
    walked = [board.copy() for board in islice(chain.from_iterable(walks(3, POSITIONS)), POSITIONS)]
    late = [f"r3k2r/8/8/8/8/8/8/R3K2R {side} KQkq - 9999 9999" for side in "wb"]
    return [Board(), *walked, *map(Board, late)]


@pytest.mark.parametrize("threads", [1, 2])
def test_planes_are_those_of_the_games(boards: list[Board], threads: int) -> None:
    records = encode_records(boards, threads=threads)
    assert records.dtype == np.uint8
    assert records.shape == (len(boards), RECORD_BYTES)
    out = np.full((len(boards), 96, 8, 8), np.nan, np.float32)
    assert planes_of(records, out=out, threads=threads) is out
    np.testing.assert_array_equal(out, encode("planes96", boards))
    np.testing.assert_array_equal(planes_of(records), out)


@pytest.mark.parametrize("action_encoding", ACTION_ENCODINGS)
def test_legal_moves_are_those_of_the_games(boards: list[Board], action_encoding: str) -> None:
    actions, offsets = legal_actions(action_encoding, boards)
    for threads in (1, 2):
        legal = legal_of(action_encoding, encode_records(boards), threads=threads)
        np.testing.assert_array_equal(legal.values, actions)
        np.testing.assert_array_equal(legal.offsets, offsets)


@pytest.mark.parametrize("action_encoding", ACTION_ENCODINGS)
def test_a_move_has_the_same_action(boards: list[Board], action_encoding: str) -> None:
    movable = [board for board in boards if board.legal_moves()]
    moves = np.array([uci_code(board.legal_moves()[-1]) for board in movable], np.uint16)
    wanted = actions_of_moves(action_encoding, movable, moves)
    np.testing.assert_array_equal(
        actions_of(action_encoding, encode_records(movable), moves, threads=2), wanted
    )


def test_the_side_to_move(boards: list[Board]) -> None:
    white = [board.turn == "white" for board in boards]
    assert is_white_to_move(encode_records(boards)).tolist() == white


def test_batches_can_be_encoded() -> None:
    batch = GameBatch(50, seed=1)
    for _ in range(30):
        batch.step(batch.random_moves())
    np.testing.assert_array_equal(planes_of(encode_records(batch)), encode("planes96", batch))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("skip", [0, 1, 25, 10_000])
def test_games_are_recorded_position_by_position(skip: int, threads: int) -> None:
    records = random_games(6, seed=5, max_plies=60)
    chosen = np.array([4, 0, 1], np.int64)
    found = encode_game_records(records, chosen, skip_plies=skip, threads=threads)
    boards, moves, games, left = [], list[str](), list[int](), list[int]()
    for game in chosen.tolist():
        board, line = Board(), records.uci(game)
        for ply, move in enumerate(line):
            if ply >= skip:
                boards.append(board.copy())
                moves.append(move)
                games.append(game)
                left.append(len(line) - ply)
            board.push(move)
    np.testing.assert_array_equal(found.records, encode_records(boards))
    assert found.moves.tolist() == list(map(uci_code, moves))
    assert (found.games.tolist(), found.plies_left.tolist()) == (games, left)


def test_only_games_of_the_records_can_be_chosen() -> None:
    records = random_games(3, seed=1, max_plies=9)
    for game in (-1, 3):
        with pytest.raises(ValueError, match=f"game {game} is not among 3 games"):
            encode_game_records(records, np.array([game], np.int64), skip_plies=0)
    with pytest.raises(ValueError, match="skip must be 0 or more, not -1"):
        encode_game_records(records, np.arange(3), skip_plies=-1)


KINGS = "4k3/8/8/8/8/8/8/4K3 w - - 0 1"


@pytest.mark.parametrize(
    ("fen", "at", "value", "reason"),
    [
        (Board().fen(), 0, 0x0F, "there is no piece 15 to stand on a1"),
        (Board().fen(), 0, 0x2D, "its castling rights are not those of its rooks"),
        (Board().fen(), 2, 0x00, "White has no king"),
        (Board().fen(), 2, 0x66, "White has more than one king"),
        (Board().fen(), 0, 0x20, "castling right 'Q' without a rook on a1"),
        (Board().fen(), 20, 0x01, "White has more than 16 pieces"),
        (Board().fen(), STATE, 0x9E, "its flags are 158"),
        (Board().fen(), STATE + 1, 65, "its en-passant square is 65"),
        (Board().fen(), STATE + 1, 16, "no pawn can just have made a double step over .* a3"),
        (KINGS, 0, 0x01, "there is a pawn on the first or last rank"),
        (KINGS, 30, 0x4C, "Black is in check, but it is the other side's move"),
    ],
)
def test_a_row_that_is_no_position_is_named(fen: str, at: int, value: int, reason: str) -> None:
    records = encode_records([Board(fen)] * 3)
    records[1, at] = value
    message = f"^row 1 of the position records: {reason}"
    with pytest.raises(ValueError, match=message):
        planes_of(records)
    with pytest.raises(ValueError, match=message):
        legal_of("az4672", records, threads=2)
    with pytest.raises(ValueError, match=message):
        actions_of("az4672", records, legal_moves_of(Board(fen), 3))


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [(0, 65, "there is no square 65 to change"), (1, 13, "there is no piece 13 to stand on ")],
)
@pytest.mark.parametrize("age", [0, 1, 2])
def test_a_board_before_that_cannot_be_is_named(
    age: int, place: int, value: int, reason: str
) -> None:
    board = Board()
    for move in ("e2e4", "e7e5", "g1f3"):
        board.push(move)
    records = encode_records([board] * 2)
    records[1, STEPS + 8 * age + place] = value
    with pytest.raises(ValueError, match=f"^row 1 of the position records: {reason}"):
        planes_of(records)


def legal_moves_of(board: Board, count: int) -> NDArray[np.uint16]:
    return np.full(count, uci_code(board.legal_moves()[0]), np.uint16)


def test_a_move_that_is_not_legal_there_is_named() -> None:
    moves = np.array([uci_code("e2e4"), uci_code("e2e5")], np.uint16)
    with pytest.raises(ValueError, match=r"row 1 .*: move 'e2e5' is not legal in rnbq"):
        actions_of("az4672", encode_records([Board()] * 2), moves)


@settings(max_examples=300, deadline=None)
@given(
    st.integers(0, POSITIONS),
    st.lists(st.tuples(st.integers(0, RECORD_BYTES - 1), st.integers(0, 255)), max_size=6),
)
def test_forged_rows_are_refused_or_harmless(
    boards: list[Board], row: int, changes: list[tuple[int, int]]
) -> None:
    records = encode_records([boards[row]])
    for at, value in changes:
        records[0, at] = value
    with suppress(ValueError):
        assert np.isfinite(planes_of(records)).all()
        legal = legal_of("az4672", records)
        assert len(set(legal.values.tolist())) == len(legal.values)


@settings(max_examples=100, deadline=None)
@given(st.binary(min_size=RECORD_BYTES, max_size=RECORD_BYTES))
def test_noise_is_refused(noise: bytes) -> None:
    records = np.frombuffer(noise, np.uint8).reshape(1, -1)
    with pytest.raises(ValueError, match=r"^row 0 of the position records: "):
        planes_of(records)


def test_arrays_of_another_kind_are_refused() -> None:
    records = encode_records([Board()] * 4)
    for wrong in (records[:, 1:], records[0], records.astype(np.int16), records[::2], None):
        with pytest.raises(ValueError, match="records must be"):
            planes_of(wrong, out=np.empty((4, 96, 8, 8), np.float32))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="out must be"):
        planes_of(records, out=np.empty((3, 96, 8, 8), np.float32))
    with pytest.raises(ValueError, match="moves must be"):
        actions_of("az4672", records, np.zeros(3, np.uint16))
    with pytest.raises(ValueError, match="threads must be at least 1"):
        legal_of("az4672", records, threads=0)
    with pytest.raises(ValueError, match="unknown"):
        legal_of("az", records)


def test_no_rows_are_no_trouble() -> None:
    none = encode_records([])
    assert planes_of(none).shape == (0, 96, 8, 8)
    assert len(legal_of("az4672", none)) == 0
    assert len(actions_of("az4672", none, np.zeros(0, np.uint16))) == 0
