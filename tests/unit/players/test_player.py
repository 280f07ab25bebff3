"""Asking a player about boards alone."""

import numpy as np
import pytest

from selfmate.players import Limits, SearchRequest, load_player
from selfmate.players.player import analyse, choose
from selfmate.rules import Board

MATED = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"


def test_a_board_is_all_a_request_needs() -> None:
    player, board = load_player("teacher:depth=2"), Board()
    analysis = player.analyse(SearchRequest(board=board))
    assert analysis == analyse(player, board) == analyse(player, board, seed=0)
    assert analyse(player, board, limits=Limits(depth=1)).depth == 1


def test_choices_depend_on_the_seed_and_the_place_of_the_board() -> None:
    player, boards = load_player("random"), [Board() for _ in range(100)]
    first, again, other = (choose(player, boards, seed=seed).moves for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert len(set(first.tolist())) > 10


def test_games_that_are_over_are_refused() -> None:
    player = load_player("random")
    with pytest.raises(ValueError, match=r"board 0 is over \(checkmate\)"):
        analyse(player, Board(MATED))
    with pytest.raises(ValueError, match=r"board 1 is over \(checkmate\)"):
        choose(player, [Board(), Board(MATED)])
