"""Packed positions against the encoder of python-chess's mirrored boards."""

from itertools import chain, islice

import chess
import numpy as np
import pytest
from numpy.typing import NDArray

from oracle.seeded_walks import walks
from selfmate.encodings import encode, legal_actions
from selfmate.encodings.features import PACKED_BYTES, encode_packed, flipped_actions, inputs_of
from selfmate.rules import Board, GameBatch

POSITIONS = 1500


@pytest.fixture(scope="module")
def boards() -> list[Board]:
    """Rich in promotions, castling, en passant and high counters."""
    walked = [board.copy() for board in islice(chain.from_iterable(walks(7, POSITIONS)), POSITIONS)]
    late = [f"r3k2r/8/8/8/8/8/8/R3K2R {side} KQkq - 9999 9999" for side in "wb"]
    clocks = [f"4k3/8/8/8/8/8/8/R3K3 b Q - {n} {2 * n + 1}" for n in range(101)]
    return [*walked, *map(Board, [*late, *clocks])]


def mirrored(board: Board) -> Board:
    return Board(chess.Board(board.fen()).mirror().fen())


def as_mover(board: Board) -> Board:
    return mirrored(board) if board.turn == "black" else board


def unpacked(packed: NDArray[np.uint8]) -> NDArray[np.float32]:
    """features839, from the inputs that are not zero."""
    inputs = inputs_of(packed, "features839")
    features = np.zeros((len(inputs), 839), np.float32)
    rows = np.repeat(np.arange(len(inputs)), np.diff(inputs.offsets))
    assert not features[rows, inputs.columns].any()
    features[rows, inputs.columns] = inputs.values
    assert inputs.values.all()
    return features


def test_packed_positions_are_those_of_the_mover(boards: list[Board]) -> None:
    packed = encode_packed(boards)
    assert packed.dtype == np.uint8
    assert packed.shape == (len(boards), PACKED_BYTES)
    features = encode("features839", [as_mover(board) for board in boards])
    np.testing.assert_array_equal(unpacked(packed), features)
    assert features[:, 773:837].any(), "the walks must reach en passant"
    np.testing.assert_array_equal(encode_packed(boards, threads=3), packed)


def test_games_of_a_batch_are_packed_alike() -> None:
    batch = GameBatch(64, seed=5)
    for ply in range(150):
        if ply % 2 == 0 and batch.white_to_move.all():
            features = encode("features839", batch)
            np.testing.assert_array_equal(unpacked(encode_packed(batch)), features)
        batch.step(batch.random_moves())


def test_layout_by_hand() -> None:
    expected = np.zeros(PACKED_BYTES, np.uint8)
    expected[[1, 24, 40]] = 0x80, 0x01, 0x08  # pawn a2, rook h1, king e1
    expected[95] = 0x08  # Black's king on e8
    expected[104:] = 0xC0, 7, 30
    white = Board("4k3/8/8/8/8/8/P7/4K2R w K - 7 30")
    black = Board("4k2r/p7/8/8/8/8/8/4K3 b k - 7 30")
    np.testing.assert_array_equal(encode_packed([white, black]), [expected, expected])


def test_turned_actions_are_legal_on_the_mirrored_board(boards: list[Board]) -> None:
    black = [board for board in boards if board.turn == "black"]
    actions, offsets = legal_actions("from_to4096", black)
    expected, same_offsets = legal_actions("from_to4096", [mirrored(board) for board in black])
    np.testing.assert_array_equal(offsets, same_offsets)
    seen = flipped_actions(actions, np.ones(len(actions), np.bool_))
    rows = np.repeat(np.arange(len(black)), np.diff(offsets))
    np.testing.assert_array_equal(np.sort(rows * 4096 + seen), np.sort(rows * 4096 + expected))


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64])
def test_turning_actions_twice_gives_them_back(dtype: type[np.signedinteger]) -> None:
    actions = np.arange(-1, 4096).astype(dtype)
    black = np.arange(len(actions)) % 3 > 0
    seen = flipped_actions(actions, black)
    assert seen.dtype == dtype
    assert seen[0] == -1
    np.testing.assert_array_equal(seen[~black], actions[~black])
    np.testing.assert_array_equal(flipped_actions(seen, black), actions)


def test_no_positions_are_fine() -> None:
    none = encode_packed([])
    assert none.shape == (0, PACKED_BYTES)
    assert len(inputs_of(none, "features839")) == 0


def test_arrays_of_another_width_are_refused() -> None:
    with pytest.raises(ValueError, match=r"packed must be .* uint8 array of shape \(2,107,\)"):
        inputs_of(np.zeros((2, 106), np.uint8), "features839")


def slow_attacks3399(board: chess.Board) -> dict[int, float]:
    """By the definition, with python-chess, for a board with White to move."""
    found = {}
    for square in chess.SQUARES:
        piece = board.piece_at(square)
        state = 0
        if piece is not None:
            state = piece.piece_type + (0 if piece.color == chess.WHITE else 6)
        enemy, own = (bool(board.attackers(color, square)) for color in (False, True))
        found[52 * square + 4 * state + 2 * enemy + own] = 1.0
    return found


def test_attacks_are_those_of_python_chess(boards: list[Board]) -> None:
    inputs = inputs_of(encode_packed(boards), "attacks3399")
    plain = inputs_of(encode_packed(boards), "features839")
    for row in range(0, len(boards), 3):
        of_row, of_plain = (slice(*found.offsets[row : row + 2]) for found in (inputs, plain))
        found = dict(
            zip(inputs.columns[of_row].tolist(), inputs.values[of_row].tolist(), strict=True)
        )
        state = {
            column + 64 * 52 - 768: value
            for column, value in zip(
                plain.columns[of_plain].tolist(), plain.values[of_plain].tolist(), strict=True
            )
            if column >= 768
        }
        wanted = slow_attacks3399(chess.Board(as_mover(boards[row]).fen())) | state
        assert found == pytest.approx(wanted)
        assert len(found) == of_row.stop - of_row.start


def test_unknown_features_are_refused() -> None:
    with pytest.raises(ValueError, match="a Q-net has no inputs 'x'; there are features839"):
        inputs_of(encode_packed([Board()]), "x")
