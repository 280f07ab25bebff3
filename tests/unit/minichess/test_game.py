"""The tables of the mini-chess: invariants on every board, and the notation of moves."""

import numpy as np
import pytest

from selfmate.minichess.game import (
    DRAW,
    MATE,
    ONGOING,
    SIZES,
    Game,
    action_name,
    compile_game,
    draw_position,
    move_name,
    placement,
)

STATES = {4: 808, 5: 4_972, 6: 19_356, 7: 57_756, 8: 144_504}


@pytest.fixture(scope="module", params=SIZES)
def game(request: pytest.FixtureRequest) -> Game:
    return compile_game(request.param)


def test_every_state_has_a_move_that_leads_to_an_afterstate(game: Game) -> None:
    assert game.states == STATES[game.size]
    assert game.allowed.shape == (game.states, 8 * (game.size - 1) + 8)
    assert game.allowed.any(1).all()
    assert ((game.afterstates >= 0) == game.allowed).all()
    assert set(game.endings.tolist()) == {ONGOING, MATE, DRAW}
    assert ((game.reply_counts == 0) == (game.endings != ONGOING)).all()


def test_every_state_and_afterstate_can_be_reached(game: Game) -> None:
    arises = game.start_probabilities > 0
    arises[game.replies[game.endings == ONGOING]] = True
    assert arises.all()
    assert len(np.unique(game.afterstates[game.allowed])) == len(game.endings)
    assert game.start_probabilities.sum() == pytest.approx(1)


def test_replies_are_padded_with_the_first(game: Game) -> None:
    padding = np.arange(8) >= game.reply_counts[:, None]
    first = np.where(game.reply_counts > 0, game.replies[:, 0], 0)
    assert (game.replies[padding] == np.broadcast_to(first[:, None], padding.shape)[padding]).all()


def test_replies_move_only_the_enemy_king(game: Game) -> None:
    for place in range(8):
        real = game.reply_counts > place
        before, after = game.after_pieces[real], game.pieces[game.replies[real, place]]
        assert (before[:, :2] == after[:, :2]).all()
        rows, columns = np.abs(
            np.array(np.divmod(before[:, 2], game.size)) - np.divmod(after[:, 2], game.size)
        )
        assert (np.maximum(rows, columns) == 1).all()


def test_vectors_have_five_ones() -> None:
    game = compile_game(4)
    vectors = game.vectors()
    assert vectors.shape == (808, 58)
    assert vectors.dtype == np.float32
    assert (vectors.sum(1) == 5).all()
    assert (vectors[:, 48] == 1).all()  # no check: the enemy has just moved
    assert game.vectors(np.float64).dtype == np.float64


def test_tables_are_read_only() -> None:
    game = compile_game(4)
    assert compile_game(4) is game
    with pytest.raises(ValueError, match="read-only"):
        game.replies[0, 0] = 1


@pytest.mark.parametrize("size", [-1, 0, 3, 9])
def test_other_sizes_are_refused(size: int) -> None:
    with pytest.raises(ValueError, match=f"no board of size {size}: allowed are 4 to 8"):
        compile_game(size)


def test_a_position_as_text() -> None:
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
def test_action_names(size: int, action: int, name: str) -> None:
    assert action_name(size, action) == name


@pytest.mark.parametrize("size", [4, 8])
def test_moves_are_named_by_piece_and_destination(size: int) -> None:
    game = compile_game(size)
    for state in range(0, game.states, game.states // 200):
        actions = [action for action in range(game.actions) if game.allowed[state, action]]
        names = [move_name(game, state, action) for action in actions]
        assert len(set(names)) == len(names)
        for action, name in zip(actions, names, strict=True):
            king, queen, _ = game.after_pieces[game.afterstates[state, action]].tolist()
            square = king if name[0] == "K" else queen
            assert name[1:] == "abcdefgh"[square % size] + str(square // size + 1)


def test_a_placement_reads_like_a_fen() -> None:
    assert placement(4, [5, 6, 12]) == "k3/4/1KQ1/4"
    assert placement(5, [24, 0, 12]) == "4K/5/2k2/5/Q4"
