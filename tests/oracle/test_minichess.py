"""The tables of the mini-chess against a slow reference implementation and python-chess."""

import random

import chess
import numpy as np
import pytest
from numpy.typing import NDArray

from oracle.slow_minichess import Position, moves_of, reachable, starts
from selfmate.minichess.game import DRAW, MATE, Game, compile_game

OUTCOMES = ("ongoing", "mate", "draw")


def position_of(size: int, pieces: NDArray[np.int16]) -> Position:
    king, queen, enemy = (divmod(square, size) for square in pieces.tolist())
    return Position(size, king, queen, enemy)


def positions_of(game: Game) -> list[Position]:
    return [position_of(game.size, pieces) for pieces in game.pieces]


class States:
    """Looks up our states by position."""

    def __init__(self, game: Game) -> None:
        self._table = np.full((game.size,) * 6, -1)
        rows_and_columns = np.stack(np.divmod(game.pieces, game.size), 2).reshape(-1, 6)
        self._table[tuple(rows_and_columns.T)] = np.arange(game.states)

    def of(self, position: Position) -> int:
        """-1 where there is none."""
        return int(self._table[*position.king, *position.queen, *position.enemy])


def check_state(game: Game, state: int) -> None:
    """Compares all table entries of a state with the reference."""
    position = position_of(game.size, game.pieces[state])
    moves = position.moves()
    assert np.flatnonzero(game.allowed[state]).tolist() == sorted(moves)
    assert sorted(game.features[state]) == np.flatnonzero(position.vector()).tolist()
    for action, left in moves.items():
        after = game.afterstates[state, action]
        assert position_of(game.size, game.after_pieces[after]) == left
        assert OUTCOMES[game.endings[after]] == left.outcome()
        replies = game.replies[after, : game.reply_counts[after]]
        assert len(set(replies.tolist())) == len(replies)
        assert {position_of(game.size, game.pieces[reply]) for reply in replies} == left.replies()


def test_every_state_of_the_smallest_board() -> None:
    game = compile_game(4)
    assert set(positions_of(game)) == set(reachable(4))
    assert len(set(positions_of(game))) == game.states
    for state in range(game.states):
        check_state(game, state)
    assert game.vectors(np.int8).tolist() == [each.vector() for each in positions_of(game)]


@pytest.mark.parametrize(("size", "moves"), [(4, 14_000), (5, 300), (6, 120), (7, 80), (8, 60)])
def test_random_games_in_lockstep(size: int, moves: int) -> None:
    game, rng, seen = compile_game(size), random.Random(size), set[int]()
    states, beginnings = States(game), list(starts(size))
    position = rng.choice(beginnings)
    for _ in range(moves):
        state = states.of(position)
        if state not in seen:
            check_state(game, state)
            seen.add(state)
        _, replies = rng.choice(list(moves_of(position).values()))
        position = rng.choice(replies or beginnings)


@pytest.mark.parametrize("size", [4, 5, 6, 8])
def test_start_probabilities(size: int) -> None:
    game, expected = compile_game(size), starts(size)
    assert sum(expected.values()) == 1
    states = States(game)
    places = [states.of(position) for position in expected]
    probabilities = np.zeros(game.states)
    probabilities[places] = [float(probability) for probability in expected.values()]
    np.testing.assert_allclose(game.start_probabilities, probabilities, rtol=1e-13)


def test_8x8_is_chess() -> None:
    """python-chess has the same moves (besides those that leave the queen en prise), the same
    endings and the same replies."""
    game, rng = compile_game(8), random.Random(88)
    for state in rng.sample(range(game.states), 150):
        board = chess_board(game.pieces[state])
        actions = np.flatnonzero(game.allowed[state]).tolist()
        moves = {chess_move(game, state, action): action for action in actions}
        for move in list(board.legal_moves):
            board.push(move)
            if move not in moves:
                assert board.is_capture(next(iter(board.generate_legal_captures())))
            else:
                after = game.afterstates[state, moves.pop(move)]
                assert (game.endings[after] == MATE) == board.is_checkmate()
                assert (game.endings[after] == DRAW) == board.is_stalemate()
                replies = game.replies[after, : game.reply_counts[after]]
                squares = {reply.to_square for reply in board.legal_moves}
                assert set(game.pieces[replies, 2].tolist()) == squares
            board.pop()
        assert not moves


def chess_board(pieces: NDArray[np.int16]) -> chess.Board:
    board = chess.Board(None)
    for square, letter in zip(pieces.tolist(), "KQk", strict=True):
        board.set_piece_at(square, chess.Piece.from_symbol(letter))
    assert board.is_valid()
    return board


def chess_move(game: Game, state: int, action: int) -> chess.Move:
    after = game.after_pieces[game.afterstates[state, action]]
    (moved,) = np.flatnonzero(after != game.pieces[state])
    return chess.Move(int(game.pieces[state, moved]), int(after[moved]))
