"""Gating by SPRT and by points: error rates, and matches no longer than necessary."""

import numpy as np
import pytest

from selfmate.arena.elo import Pentanomial, score_of_elo
from selfmate.arena.gating import GAMES_PER_LOOK, GatingMatch, GatingRule
from selfmate.arena.sprt import Sprt
from selfmate.players import load_player
from unit.arena.simulated_pairs import Conditions, pair_distribution

SPRT = Sprt(0, 20)


def gate(rule: GatingRule, games: int = 200) -> GatingMatch:
    return GatingMatch(rule=rule, games=games, sprt=SPRT, max_plies=60)


def test_a_clear_match_ends_early() -> None:
    strong, weak = load_player("teacher:depth=2"), load_player("random")
    for player, best, promoted in ((strong, weak, True), (weak, strong, False)):
        verdict = gate("sprt").play(player, best, seed=1)
        assert verdict.promoted == promoted
        assert verdict.games < 200
        assert verdict.games % GAMES_PER_LOOK == 0
        assert f"accepts +{20 if promoted else 0} Elo" in verdict.sentence


def test_points_plays_all_games_and_wants_more_than_55_percent() -> None:
    strong, weak = load_player("teacher:depth=2"), load_player("random")
    verdict = gate("points", 30).play(strong, weak, seed=1)
    assert (verdict.promoted, verdict.games) == (True, 30)
    # Eleven points of twenty games are exactly 55 %; half a point more is above.
    assert not gate("points").judge(Pentanomial((0, 0, 8, 2, 0))).promoted
    assert gate("points").judge(Pentanomial((0, 0, 7, 3, 0))).promoted


def test_always_plays_no_match() -> None:
    verdict = gate("always").play(load_player("random"), load_player("greedy"), seed=1)
    assert (verdict.promoted, verdict.games) == (True, 0)


@pytest.mark.parametrize(
    ("elo", "least", "most"), [(-20, 0.02, 0.2), (0, 0.25, 0.5), (20, 0.6, 0.85), (60, 0.97, 1.0)]
)
def test_at_the_last_game_the_likelier_hypothesis_is_accepted(
    elo: float, least: float, most: float
) -> None:
    """Two hundred games cannot tell 20 Elo from none, so equals are often promoted."""
    probs = pair_distribution(float(score_of_elo(elo)), Conditions(draw_rate=0.5))
    rows = np.random.default_rng(1).multinomial(100, probs, 600).tolist()
    promoted = [gate("sprt").judge(Pentanomial(tuple(row))).promoted for row in rows]
    assert least <= np.mean(promoted) <= most


def test_odd_or_too_large_numbers_of_games_are_refused() -> None:
    for games in (0, 3, 1002):
        with pytest.raises(ValueError, match="games"):
            gate("sprt", games)
