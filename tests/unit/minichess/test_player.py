"""Sample games of the mini-chess follow its rules, and on 8x8 those of chess."""

import numpy as np
import pytest

from contracts.replay import replayed
from selfmate.minichess.game import compile_game
from selfmate.minichess.player import MAX_MOVES, sample_game
from selfmate.rules import Board
from selfmate.runs.run import SampleGame


def games(size: int, count: int) -> list[SampleGame]:
    """Games of a random agent."""
    game, rng = compile_game(size), np.random.default_rng(size)

    def choose(state: int) -> int:
        return int(rng.choice(np.flatnonzero(game.allowed[state])))

    return [sample_game(game, choose, rng, "learner") for _ in range(count)]


@pytest.mark.parametrize("size", [4, 5])
def test_games_follow_the_rules_to_their_end(size: int) -> None:
    seen = set()
    for game in games(size, 60):
        line = game.entry(1)
        assert replayed({key: str(text) for key, text in line.items()}) == (
            game.result,
            game.reason,
        )
        assert (game.reason == "ply_limit") == (len(game.moves) == 2 * MAX_MOVES)
        seen.add(game.reason)
    assert {"checkmate", "stalemate"} <= seen


def test_games_on_8x8_are_chess() -> None:
    for game in games(8, 12):
        board = Board(f"{game.start} w - - 0 1")
        for move in game.moves:
            board.push(move, past_draw=True)
        outcome = board.outcome()
        if game.reason != "ply_limit":
            assert outcome is not None
            assert outcome.reason == game.reason
