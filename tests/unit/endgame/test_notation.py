"""Moves and positions as people read them."""

import pytest

from selfmate.endgame.game import compile_game
from selfmate.endgame.notation import action_name, draw_position, move_name


def test_a_drawn_position() -> None:
    drawn = draw_position(4, [5, 14, 3])
    assert drawn.splitlines() == ["4 . . Q .", "3 . . . .", "2 . K . .", "1 . . . k", "  a b c d"]


@pytest.mark.parametrize(
    ("size", "action", "name"),
    [
        (4, 0, "Q up 1"),
        (4, 5, "Q down 3"),
        (4, 13, "Q up-right 2"),
        (4, 24, "K up"),
        (8, 63, "K down-left"),
    ],
)
def test_actions_in_words(size: int, action: int, name: str) -> None:
    assert action_name(size, action) == name


@pytest.mark.parametrize("size", [4, 8])
def test_a_move_is_named_by_where_its_piece_goes(size: int) -> None:
    game = compile_game(size)
    for state in range(0, game.states, game.states // 200):
        actions = [action for action in range(game.actions) if game.allowed[state, action]]
        names = [move_name(game, state, action) for action in actions]
        assert len(set(names)) == len(names)
        for action, name in zip(actions, names, strict=True):
            king, queen, _ = game.after_pieces[game.afterstates[state, action]].tolist()
            square = king if name[0] == "K" else queen
            assert name[1:] == "abcdefgh"[square % size] + str(square // size + 1)
