"""Tokens and moves as the side to move sees them, from boards and from stored positions alike."""

import numpy as np

from selfmate.encodings import encode
from selfmate.encodings.layouts import UCI1968_MOVES
from selfmate.encodings.sentences import (
    sentences_of,
    sentences_of_stored,
    turned,
    turned_actions_of_stored,
)
from selfmate.encodings.stored import store
from selfmate.rules import Board, uci_code, uci_text
from unit.data.example_rows import boards


def played(*moves: str) -> Board:
    board = Board()
    for move in moves:
        board.push(move)
    return board


def test_stored_positions_say_the_same_as_boards() -> None:
    some = [*boards(40, plies=21), *boards(40, seed=2, plies=60)]
    ours, theirs = sentences_of(some), sentences_of_stored(store(some))
    assert 10 < ours.black.sum() < 70
    assert np.array_equal(ours.black, theirs.black)
    assert np.array_equal(ours.tokens, theirs.tokens)
    assert np.array_equal(ours.tokens, encode("tokens78", some))
    assert np.array_equal(ours.legal.values, theirs.legal.values)
    assert np.array_equal(ours.legal.offsets, theirs.legal.offsets)


def test_black_sees_its_own_moves_as_white_would() -> None:
    board = played("e2e4")
    sentences = sentences_of([board])
    seen = {uci_text(int(UCI1968_MOVES[action])) for action in sentences.legal.values}
    assert seen == set(Board().legal_moves())


def test_turning_twice_is_nothing_and_moves_come_back() -> None:
    castling = Board("r3k2r/1P6/8/3pP3/8/8/6p1/R3K2R b KQkq - 0 1")
    for board in (played("e2e4"), castling, *boards(20, plies=30)):
        sentences = sentences_of([board])
        count = len(sentences.legal.values)
        rows = sentences.take(np.zeros(count, np.int64))
        seen = sentences.legal.values
        assert np.array_equal(turned(turned(seen, rows.black), rows.black), seen)
        assert {uci_text(move) for move in rows.moves(seen).tolist()} == set(board.legal_moves())


def test_some_rows() -> None:
    some = boards(9, plies=21)
    rows = np.array([4, 0, 4])
    taken, made = sentences_of(some).take(rows), sentences_of([some[row] for row in rows])
    assert np.array_equal(taken.tokens, made.tokens)
    assert np.array_equal(taken.legal.values, made.legal.values)
    assert np.array_equal(taken.black, made.black)


def test_the_action_of_a_move_that_was_played() -> None:
    board = played("e2e4")
    move = np.array([uci_code("e7e5")], np.uint16)
    action = turned_actions_of_stored(store([board]), move)
    assert uci_text(int(UCI1968_MOVES[action[0]])) == "e2e4"
