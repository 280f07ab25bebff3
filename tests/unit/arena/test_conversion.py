"""Conversion of won endgames: by perfect play in the exact distance, rarely by random moves."""

import re
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from selfmate.arena.endgames import (
    LETTERS,
    convert,
    convert_in_rounds,
    defences,
    distances,
    won_positions,
)
from selfmate.players import load_player
from selfmate.players.player import NO_LIMITS, Analysis, Choices, Limits, SearchRequest
from selfmate.rules import Board, push_moves, uci_code, uci_text
from selfmate.searches.endgame_tables import NOT_WON, PIECES, Piece
from unit.arena.scripted import Scripted


class Perfect:
    """Looks every reply up in the table."""

    name = "perfect"

    def __init__(self, piece: Piece, parallel_games: int = 64) -> None:
        self.piece, self.parallel_games = piece, parallel_games

    def choose(
        self, boards: Sequence[Board], seeds: NDArray[np.uint64], limits: Limits = NO_LIMITS
    ) -> Choices:
        assert len(boards) <= self.parallel_games
        return Choices(np.array([self._best(board) for board in boards], np.uint16))

    def _best(self, board: Board) -> int:
        found = dict[int, float]()
        for uci in board.legal_moves():
            after, move = board.copy(), uci_code(uci)
            (outcome,) = push_moves([after], np.array([move], np.uint16))
            if outcome is None:
                replies = [self._after(after, reply) for reply in after.legal_moves()]
                found[move] = max(replies)
            else:
                found[move] = 0 if outcome.winner else np.inf
        return min(found, key=lambda move: found[move])

    def _after(self, board: Board, reply: str) -> float:
        after = board.copy()
        after.push(reply, past_draw=True)
        if len(re.findall("[A-Za-z]", after.fen().split()[0])) < 2 + len(LETTERS[self.piece]):
            return np.inf  # the king has taken a piece
        left = int(distances(self.piece, [after])[0])
        return np.inf if left == NOT_WON else left + 2

    def analyse(self, request: SearchRequest) -> Analysis:
        raise NotImplementedError

    def close(self) -> None:
        pass


@pytest.mark.parametrize("piece", PIECES)
def test_best_play_takes_the_exact_distance(piece: Piece) -> None:
    found = convert(Perfect(piece), piece, games=12, seed=3)
    assert found.converted == found.games == 12
    assert found.moves == found.exact_moves
    assert convert(Perfect(piece, parallel_games=5), piece, games=12, seed=3) == found


def test_a_forfeit_ends_the_game_without_a_win() -> None:
    found = convert(Scripted("p", lambda *_: "!illegal_move"), "queen", games=4, seed=1)
    assert (found.converted, found.moves, found.exact_moves) == (0, None, None)


def test_a_random_mover_rarely_wins() -> None:
    found = convert(load_player("random"), "rook", games=10, seed=1)
    assert found.share < 0.3


def test_positions_are_won_for_both_colours_and_follow_the_seed() -> None:
    boards = won_positions("queen", 10, seed=1)
    assert {board.turn for board in boards} == {"white", "black"}
    assert all(board.outcome() is None for board in boards)
    assert (distances("queen", boards) % 2 == 1).all()
    fens = [[board.fen() for board in won_positions("queen", 10, seed)] for seed in (1, 1, 2)]
    assert fens[0] == fens[1] != fens[2]


def test_the_lone_king_captures_a_hanging_piece() -> None:
    board = Board("8/8/8/3kQ3/8/8/8/K7 b - - 0 1")
    assert uci_text(int(defences("queen", [board], np.zeros(1, np.uint64))[0])) == "d5e5"


def test_rounds_count_only_games_that_are_over() -> None:
    rounds = list(convert_in_rounds(load_player("teacher:depth=2"), "queen", games=6, seed=1))
    games = [found.games for found in rounds]
    assert games == sorted(games)
    assert 0 in games
    assert rounds[-1] == convert(load_player("teacher:depth=2"), "queen", games=6, seed=1)
    assert rounds[-1].games == 6
