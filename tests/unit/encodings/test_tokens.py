"""Tokens and moves as the side to move sees them, from boards and from position records alike."""

import numpy as np

from selfmate.encodings import UCI1968_MOVES, encode
from selfmate.encodings.records import (
    encode_records,
    encode_tokens,
    flipped,
    flipped_actions_of_records,
    tokens_of_records,
)
from selfmate.rules import Board, uci_code, uci_text
from unit.data.example_rows import boards


def played(*moves: str) -> Board:
    board = Board()
    for move in moves:
        board.push(move)
    return board


def test_records_give_the_same_batch_as_boards() -> None:
    some = [*boards(40, plies=21), *boards(40, seed=2, plies=60)]
    ours, theirs = encode_tokens(some), tokens_of_records(encode_records(some))
    assert 10 < ours.black.sum() < 70
    assert np.array_equal(ours.black, theirs.black)
    assert np.array_equal(ours.tokens, theirs.tokens)
    assert np.array_equal(ours.tokens, encode("tokens78", some))
    assert np.array_equal(ours.legal.values, theirs.legal.values)
    assert np.array_equal(ours.legal.offsets, theirs.legal.offsets)


def test_black_sees_its_own_moves_as_white_would() -> None:
    board = played("e2e4")
    batch = encode_tokens([board])
    seen = {uci_text(int(UCI1968_MOVES[action])) for action in batch.legal.values}
    assert seen == set(Board().legal_moves())


def test_turning_twice_is_nothing_and_moves_come_back() -> None:
    castling = Board("r3k2r/1P6/8/3pP3/8/8/6p1/R3K2R b KQkq - 0 1")
    for board in (played("e2e4"), castling, *boards(20, plies=30)):
        batch = encode_tokens([board])
        count = len(batch.legal.values)
        rows = batch.take(np.zeros(count, np.int64))
        seen = batch.legal.values
        assert np.array_equal(flipped(flipped(seen, rows.black), rows.black), seen)
        assert {uci_text(move) for move in rows.moves(seen).tolist()} == set(board.legal_moves())


def test_some_rows() -> None:
    some = boards(9, plies=21)
    rows = np.array([4, 0, 4])
    taken, made = encode_tokens(some).take(rows), encode_tokens([some[row] for row in rows])
    assert np.array_equal(taken.tokens, made.tokens)
    assert np.array_equal(taken.legal.values, made.legal.values)
    assert np.array_equal(taken.black, made.black)


def test_the_action_of_a_move_that_was_played() -> None:
    board = played("e2e4")
    move = np.array([uci_code("e7e5")], np.uint16)
    action = flipped_actions_of_records(encode_records([board]), move)
    assert uci_text(int(UCI1968_MOVES[action[0]])) == "e2e4"
