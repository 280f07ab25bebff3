"""Tokens and moves as the side to move sees them, from boards and from stored positions alike."""

import numpy as np

from selfmate.encodings import encode, is_black_to_move, legal_actions
from selfmate.encodings.layouts import UCI1968_MOVES
from selfmate.encodings.sentences import (
    CODING,
    moves_of_turned,
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
    black = is_black_to_move(some)
    assert 10 < black.sum() < 70
    ours, theirs = sentences_of(some, black), sentences_of_stored(store(some))
    assert np.array_equal(ours.tokens, theirs.tokens)
    assert np.array_equal(ours.tokens, encode("tokens78", some))
    assert np.array_equal(ours.legal.values, theirs.legal.values)
    assert np.array_equal(ours.legal.offsets, theirs.legal.offsets)


def test_black_sees_its_own_moves_as_white_would() -> None:
    board = played("e2e4")
    sentences = sentences_of([board], np.array([True]))
    seen = {uci_text(int(UCI1968_MOVES[action])) for action in sentences.legal.values}
    assert seen == set(Board().legal_moves())


def test_turning_twice_is_nothing_and_moves_come_back() -> None:
    board = played("e2e4")
    black = np.array([True])
    actions, _ = legal_actions(CODING, [board])
    for action in actions.tolist():
        one = np.array([action], np.int32)
        seen = turned(one, black)
        assert turned(seen, black).tolist() == [action]
        assert moves_of_turned([board], seen, black).tolist() == [int(UCI1968_MOVES[action])]


def test_the_action_of_a_move_that_was_played() -> None:
    board = played("e2e4")
    move = np.array([uci_code("e7e5")], np.uint16)
    action = turned_actions_of_stored(store([board]), move)
    assert uci_text(int(UCI1968_MOVES[action[0]])) == "e2e4"
