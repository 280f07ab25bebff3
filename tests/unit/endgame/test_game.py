"""The tables of the mini-chess: what holds on every board."""

import numpy as np
import pytest

from selfmate.endgame.game import DRAW, GOES_ON, MATE, SIZES, Game, compile_game

STATES = {4: 808, 5: 4_972, 6: 19_356, 7: 57_756, 8: 144_504}


@pytest.fixture(scope="module", params=SIZES)
def game(request: pytest.FixtureRequest) -> Game:
    return compile_game(request.param)


def test_every_state_has_a_move_that_leads_on(game: Game) -> None:
    assert game.states == STATES[game.size]
    assert game.allowed.shape == (game.states, 8 * (game.size - 1) + 8)
    assert game.allowed.any(1).all()
    assert ((game.afterstates >= 0) == game.allowed).all()
    assert set(game.endings.tolist()) == {GOES_ON, MATE, DRAW}
    assert ((game.reply_counts == 0) == (game.endings != GOES_ON)).all()


def test_every_state_and_afterstate_is_there_for_a_reason(game: Game) -> None:
    arises = game.start_probabilities > 0
    arises[game.replies[game.endings == GOES_ON]] = True
    assert arises.all()
    assert len(np.unique(game.afterstates[game.allowed])) == len(game.endings)
    assert game.start_probabilities.sum() == pytest.approx(1)


def test_lists_of_replies_are_padded_with_their_first(game: Game) -> None:
    padding = np.arange(8) >= game.reply_counts[:, None]
    first = np.where(game.reply_counts > 0, game.replies[:, 0], 0)
    assert (game.replies[padding] == np.broadcast_to(first[:, None], padding.shape)[padding]).all()


def test_replies_move_the_enemy_king_alone(game: Game) -> None:
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


def test_tables_cannot_be_changed() -> None:
    game = compile_game(4)
    assert compile_game(4) is game
    with pytest.raises(ValueError, match="read-only"):
        game.replies[0, 0] = 1


@pytest.mark.parametrize("size", [-1, 0, 3, 9])
def test_other_sizes_are_refused(size: int) -> None:
    with pytest.raises(ValueError, match=f"no board of size {size}: allowed are 4 to 8"):
        compile_game(size)
