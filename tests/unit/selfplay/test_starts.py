"""Starting positions of self-play."""

import numpy as np
import pytest

from selfmate.arena.openings import shipped_openings
from selfmate.rules import Board
from selfmate.selfplay.games import Starts


def pieces(board: Board) -> int:
    return sum(letter.isalpha() for letter in board.fen().split()[0])


@pytest.mark.parametrize("openings", [True, False])
@pytest.mark.parametrize("endgames", [0.0, 0.3, 1.0])
def test_openings_and_endgames_by_their_fraction(openings: bool, endgames: float) -> None:
    starts = Starts(openings=openings, endgame_fraction=endgames)
    boards = starts.boards(400, np.random.default_rng(5))
    opened = [board for board in boards if pieces(board) > 10]
    assert len(opened) / 400 == pytest.approx(1 - endgames, abs=0.07)
    allowed = {tuple(opening.moves) for opening in shipped_openings()} if openings else {()}
    assert {tuple(board.moves) for board in opened} <= allowed
    assert all(board.outcome() is None for board in boards)


def test_starts_depend_on_the_seed_alone() -> None:
    starts = Starts(openings=True, endgame_fraction=0.5)
    first, again, other = (
        [board.fen() for board in starts.boards(20, np.random.default_rng(seed))]
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other
