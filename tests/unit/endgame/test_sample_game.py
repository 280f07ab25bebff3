"""Sample games of the mini-chess: they go by its rules, and on 8x8 by those of chess."""

import numpy as np
import pytest

from contracts.replay import replayed
from selfmate.endgame.game import compile_game
from selfmate.endgame.notation import placement
from selfmate.endgame.sample_game import MOST_MOVES, sample_game
from selfmate.rules import Board
from selfmate.runs.sample_game import SampleGame


def games(size: int, count: int) -> list[SampleGame]:
    """Of an agent that moves at random."""
    game, dice = compile_game(size), np.random.default_rng(size)

    def choose(state: int) -> int:
        return int(dice.choice(np.flatnonzero(game.allowed[state])))

    return [sample_game(game, choose, dice, "learner") for _ in range(count)]


@pytest.mark.parametrize("size", [4, 5])
def test_games_go_by_the_rules_and_end_somehow(size: int) -> None:
    seen = set()
    for game in games(size, 60):
        line = game.entry(1)
        assert replayed({key: str(text) for key, text in line.items()}) == (
            game.result,
            game.reason,
        )
        assert (game.reason == "ply_limit") == (len(game.moves) == 2 * MOST_MOVES)
        seen.add(game.reason)
    assert {"checkmate", "stalemate"} <= seen


def test_on_8x8_they_are_chess() -> None:
    for game in games(8, 12):
        board = Board(f"{game.start} w - - 0 1")
        for move in game.moves:
            board.push(move, past_draw=True)
        outcome = board.outcome()
        if game.reason != "ply_limit":
            assert outcome is not None
            assert outcome.reason == game.reason


def test_a_placement_reads_like_a_fen() -> None:
    assert placement(4, [5, 6, 12]) == "k3/4/1KQ1/4"
    assert placement(5, [24, 0, 12]) == "4K/5/2k2/5/Q4"
