"""Every legal move of many positions through the three action encodings and back."""

import os
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice, permutations

import chess
import numpy as np
import pytest
from numpy.typing import NDArray

from oracle.positions import CHESS960_FENS, STARTS
from oracle.seeded_walks import walks
from selfmate.encodings import (
    ACTION_ENCODINGS,
    UCI1968_FLIPPED,
    action_mask,
    actions_of_moves,
    legal_actions,
    moves_of_actions,
)
from selfmate.rules import Board, chess960_fen
from selfmate_benchmarks.peers.rules import ACTION_ENCODERS, move_code, uci1968_texts

POSITIONS = int(os.environ.get("SELFMATE_FUZZ_POSITIONS", "100000"))
BATCH = 1000
QUEEN = 4 << 12
KING_PLACES = (chess.A1, chess.A8, chess.H1, chess.H8, chess.D2, chess.E7, chess.C6, chess.F3)


@cache
def code_of(uci: str) -> int:
    return move_code(chess.Move.from_uci(uci))


@cache
def expected_action(action_encoding: str, uci: str, turn: str) -> int:
    return ACTION_ENCODERS[action_encoding](chess.Move.from_uci(uci), turn == "white")


def positions(seed: int, count: int, starts: Sequence[str]) -> Iterator[Board]:
    boards = (board.copy() for game in walks(seed, count, starts) for board in game)
    return islice(boards, count)


def batches(seed: int, count: int, starts: Sequence[str] = STARTS) -> Iterator[list[Board]]:
    stream = positions(seed, count, starts)
    while batch := list(islice(stream, BATCH)):
        yield batch


def queen_for_any_piece(moves: NDArray[np.uint16]) -> NDArray[np.uint16]:
    return np.where(moves >> 12 == 0, moves, (moves & 4095) | QUEEN).astype(np.uint16)


def check_round_trip(action_encoding: str, boards: list[Board], texts: list[list[str]]) -> None:
    each = [board for board, moves in zip(boards, texts, strict=True) for _ in moves]
    moves = np.array([code_of(uci) for line in texts for uci in line], np.uint16)
    actions = actions_of_moves(action_encoding, each, moves)
    expected = [
        expected_action(action_encoding, uci, turn)
        for turn, line in zip((board.turn for board in boards), texts, strict=True)
        for uci in line
    ]
    np.testing.assert_array_equal(actions, expected)
    back = queen_for_any_piece(moves) if action_encoding == "from_to4096" else moves
    np.testing.assert_array_equal(moves_of_actions(action_encoding, each, actions), back)
    check_legal_lists(action_encoding, boards, actions, texts)


def check_legal_lists(
    action_encoding: str, boards: list[Board], actions: NDArray[np.int32], texts: list[list[str]]
) -> None:
    """The list and the mask name exactly the actions of the legal moves, each once."""
    size = ACTION_ENCODINGS[action_encoding].size
    owner = np.repeat(np.arange(len(boards)), [len(line) for line in texts])
    wanted = np.unique(owner * size + actions)
    listed, offsets = legal_actions(action_encoding, boards)
    listed_owner = np.repeat(np.arange(len(boards)), np.diff(offsets))
    np.testing.assert_array_equal(np.sort(listed_owner * size + listed), wanted)
    mask = action_mask(action_encoding, boards)
    np.testing.assert_array_equal(np.flatnonzero(mask), wanted)
    assert mask.max(initial=0) <= 1


def test_every_legal_move_survives_every_action_encoding() -> None:
    for boards in batches(1, POSITIONS):
        texts = [board.legal_moves() for board in boards]
        for action_encoding in ACTION_ENCODINGS:
            check_round_trip(action_encoding, boards, texts)


def test_every_legal_move_of_chess960_survives_every_action_encoding() -> None:
    starts = [*CHESS960_FENS, *(chess960_fen(number) for number in range(0, 960, 48))]
    castling = 0
    for boards in batches(2, POSITIONS // 10, starts):
        texts = [board.legal_moves() for board in boards]
        castling += sum(
            board.san(move).startswith("O-O")
            for board, line in zip(boards, texts, strict=True)
            for move in line
        )
        for action_encoding in ACTION_ENCODINGS:
            check_round_trip(action_encoding, boards, texts)
    assert castling > POSITIONS // 500


def test_uci1968_lists_every_move_in_order() -> None:
    texts = uci1968_texts()
    assert len(texts) == len(set(texts)) == ACTION_ENCODINGS["uci1968"].size
    assert texts[:3] == ["a1b1", "a1c1", "a1d1"]
    assert texts[1792:1796] == ["a7a8q", "a7a8r", "a7a8b", "a7a8n"]
    assert texts[-1] == "h2h1n"
    for index, uci in enumerate(texts):
        board = board_allowing(uci)
        moves = np.array([code_of(uci)], np.uint16)
        assert actions_of_moves("uci1968", [board], moves).tolist() == [index]


def board_allowing(uci: str) -> Board:
    """A position with two kings out of the way and one piece that can play the move."""
    move = chess.Move.from_uci(uci)
    for home, away in permutations(KING_PLACES, 2):
        board = board_with(move, home, away)
        if board is not None and board.is_valid() and move in board.legal_moves:
            return Board(board.fen())
    raise AssertionError(f"no position found for {uci}")


def board_with(move: chess.Move, home: chess.Square, away: chess.Square) -> chess.Board | None:
    if len({move.from_square, move.to_square, home, away}) < 4:
        return None
    board = chess.Board(None)
    board.turn = chess.square_rank(move.to_square) != 0 if move.promotion else chess.WHITE
    files = abs(chess.square_file(move.from_square) - chess.square_file(move.to_square))
    ranks = abs(chess.square_rank(move.from_square) - chess.square_rank(move.to_square))
    mover = chess.KNIGHT if {files, ranks} == {1, 2} else chess.QUEEN
    board.set_piece_at(home, chess.Piece(chess.KING, board.turn))
    board.set_piece_at(away, chess.Piece(chess.KING, not board.turn))
    piece = chess.PAWN if move.promotion else mover
    board.set_piece_at(move.from_square, chess.Piece(piece, board.turn))
    if move.promotion and files:
        board.set_piece_at(move.to_square, chess.Piece(chess.KNIGHT, not board.turn))
    return board


def test_flipped_uci1968_is_the_same_move_with_ranks_flipped() -> None:
    texts = uci1968_texts()
    ranks = str.maketrans("12345678", "87654321")
    for index, uci in enumerate(texts):
        assert texts[UCI1968_FLIPPED[index]] == uci.translate(ranks)
    with pytest.raises(ValueError, match="read-only"):
        UCI1968_FLIPPED[0] = 1


@pytest.mark.parametrize("action_encoding", ACTION_ENCODINGS)
def test_every_other_index_is_refused(action_encoding: str) -> None:
    board = Board("n1n1k3/PPP5/8/3pP3/8/8/6pp/R3K1NR w KQ d6 0 1")
    legal = set(legal_actions(action_encoding, [board])[0].tolist())
    assert len(legal) > 20
    for index in range(-2, ACTION_ENCODINGS[action_encoding].size + 2):
        action = np.array([index], np.int32)
        if index in legal:
            move = moves_of_actions(action_encoding, [board], action)
            assert actions_of_moves(action_encoding, [board], move).tolist() == [index]
        else:
            with pytest.raises(
                ValueError, match=f"game 0: {action_encoding} index {index} is not legal"
            ):
                moves_of_actions(action_encoding, [board], action)


def test_shared_promotions_are_listed_once_and_decode_to_the_queen() -> None:
    board = Board("8/P6k/8/8/8/8/8/K7 w - - 0 1")
    actions, offsets = legal_actions("from_to4096", [board])
    promotion = 48 * 64 + 56
    assert actions.tolist().count(promotion) == 1
    assert offsets.tolist() == [0, len(actions)]
    assert action_mask("from_to4096", [board])[0, promotion] == 1
    move = moves_of_actions("from_to4096", [board], np.array([promotion], np.int32))
    assert move.tolist() == [code_of("a7a8q")]


@pytest.mark.parametrize("action_encoding", ACTION_ENCODINGS)
def test_illegal_moves_are_refused_by_game_and_name(action_encoding: str) -> None:
    boards = [Board(), Board(), Board()]
    moves = np.array([code_of("e2e4"), code_of("e2e5"), code_of("e2e3")], np.uint16)
    with pytest.raises(ValueError, match="game 1: move 'e2e5' is not legal in rnbqkbnr/"):
        actions_of_moves(action_encoding, boards, moves)
    for code in (0, 0xFFFF, code_of("e2e4") | QUEEN):
        with pytest.raises(ValueError, match="game 0: "):
            actions_of_moves(action_encoding, boards[:1], np.array([code], np.uint16))


def test_threads_change_nothing() -> None:
    boards = list(positions(2, 300, STARTS))
    for action_encoding in ACTION_ENCODINGS:
        for one, many in zip(
            legal_actions(action_encoding, boards),
            legal_actions(action_encoding, boards, threads=3),
            strict=True,
        ):
            np.testing.assert_array_equal(one, many)
        np.testing.assert_array_equal(
            action_mask(action_encoding, boards), action_mask(action_encoding, boards, threads=3)
        )


def test_the_first_bad_game_is_named_on_threads_too() -> None:
    boards = [Board() for _ in range(200)]
    moves = np.full(200, code_of("e2e4"), np.uint16)
    moves[[70, 150]] = code_of("a1a8")
    with pytest.raises(ValueError, match="game 70: move 'a1a8'"):
        actions_of_moves("az4672", boards, moves, threads=4)


def test_wrong_arguments_are_refused() -> None:
    boards = [Board()]
    with pytest.raises(ValueError, match="'az'; known are from_to4096, uci1968, az4672"):
        legal_actions("az", boards)
    with pytest.raises(ValueError, match="moves must be a C-contiguous uint16 array of shape"):
        actions_of_moves("uci1968", boards, np.zeros(1, np.int32))
    with pytest.raises(ValueError, match="moves must be"):
        actions_of_moves("uci1968", boards, np.zeros(2, np.uint16))
    with pytest.raises(ValueError, match="actions must be a C-contiguous int32 array"):
        moves_of_actions("uci1968", boards, np.zeros(1, np.int64))
    with pytest.raises(ValueError, match="out must be a C-contiguous uint8 array"):
        action_mask("uci1968", boards, out=np.zeros((1, 1967), np.uint8))
    with pytest.raises(ValueError, match="threads"):
        legal_actions("uci1968", boards, threads=-1)
