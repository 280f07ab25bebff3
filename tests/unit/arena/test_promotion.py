"""Gating by interval and by half the points: error rates, sentences and refused settings."""

from collections.abc import Iterator
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfmate.arena.elo import Pentanomial
from selfmate.arena.gating import MAX_GAMES, GatingMatch
from selfmate.arena.openings import shipped_openings
from selfmate.players import load_player
from unit.arena.scripted import Scripted, first_move
from unit.arena.simulated_pairs import Conditions, Floats, pair_distribution

MATCHES, PAIRS = 2000, 100
CONDITIONS = {
    "decisive": Conditions(),
    "draws": Conditions(draw_rate=0.6),
    "unbalanced openings": Conditions(draw_rate=0.3, white_bias=0.6),
    "openings to taste": Conditions(draw_rate=0.3, taste_bias=0.5),
}


def pentanomials(probs: Floats) -> Iterator[Pentanomial]:
    for row in np.random.default_rng(1).multinomial(PAIRS, probs, MATCHES).tolist():
        yield Pentanomial((row[0], row[1], row[2], row[3], row[4]))


def promoted_fraction(gating: GatingMatch, probs: Floats) -> float:
    return sum(gating.judge(pairs).promoted for pairs in pentanomials(probs)) / MATCHES


@pytest.mark.parametrize("margin", [0.0, 0.02, 0.1])
@pytest.mark.parametrize("conditions", CONDITIONS.values(), ids=CONDITIONS.keys())
def test_a_player_worse_by_the_margin_is_rarely_promoted(
    conditions: Conditions, margin: float
) -> None:
    """In one of forty matches: the lower end of a 95 % interval is too high that often."""
    fraction = promoted_fraction(
        GatingMatch(rule="interval", margin=margin), pair_distribution(0.5 - margin, conditions)
    )
    assert 0.014 <= fraction <= 0.036


@pytest.mark.parametrize("margin", [0.0, 0.02, 0.05, 0.1])
@pytest.mark.parametrize("conditions", CONDITIONS.values(), ids=CONDITIONS.keys())
def test_equals_are_promoted_as_often_as_the_margin_allows(
    conditions: Conditions, margin: float
) -> None:
    probs = pair_distribution(0.5, conditions)
    deviation = float(np.sqrt(probs @ (np.arange(5) / 4 - 0.5) ** 2 / PAIRS))
    expected = NormalDist().cdf(margin / deviation - NormalDist().inv_cdf(0.975))
    assert promoted_fraction(GatingMatch(rule="interval", margin=margin), probs) == pytest.approx(
        expected, abs=0.03
    )


@pytest.mark.parametrize("conditions", CONDITIONS.values(), ids=CONDITIONS.keys())
def test_half_the_points_promotes_equals_on_a_tie_or_a_win(conditions: Conditions) -> None:
    probs = pair_distribution(0.5, conditions)
    totals = np.ones(1)  # the probabilities of all totals of points, pair by pair
    for _ in range(PAIRS):
        totals = np.convolve(totals, probs)
    expected = totals[2 * PAIRS :].sum()
    assert expected > 0.5
    assert promoted_fraction(GatingMatch(rule="half"), probs) == pytest.approx(expected, abs=0.03)


COUNT = st.integers(0, 40)
COUNTS = st.tuples(COUNT, COUNT, COUNT, COUNT, COUNT)


@given(COUNTS, st.sampled_from([0, 0.5, 1, 1.5]), st.sampled_from([0.0, 0.02, 0.1, 0.3]))
def test_winning_more_never_costs_a_promotion(
    counts: tuple[int, int, int, int, int], points: float, margin: float
) -> None:
    """Except in matches of nearly all even pairs: there the first other pair widens the interval
    by more than it gains."""
    others = Pentanomial(counts) + Pentanomial((3, 0, 0, 0, 3))
    for gating in (
        GatingMatch(rule="interval", margin=margin, min_games=0),
        GatingMatch(rule="half"),
    ):
        was = gating.judge(others + Pentanomial.of_points([points]))
        now = gating.judge(others + Pentanomial.of_points([points + 0.5]))
        assert now.score > was.score
        assert now.low > was.low
        assert now.promoted >= was.promoted


@pytest.mark.parametrize(
    ("gating", "counts", "sentence"),
    [
        (
            GatingMatch(rule="interval"),
            (8, 19, 30, 25, 18),
            "promoted: 56.5 % of 200 games against the best "
            "(95 % interval 50.6 to 62.2 %), above 48 %",
        ),
        (
            GatingMatch(rule="interval", margin=0.015),
            (18, 25, 30, 19, 8),
            "not promoted: 43.5 % of 200 games against the best "
            "(95 % interval 37.8 to 49.4 %), not all of it above 48.5 %",
        ),
        (
            GatingMatch(rule="half"),
            (5, 0, 0, 0, 5),
            "promoted: 50.0 % of 20 games against the best "
            "(95 % interval 22.9 to 77.1 %), at least half",
        ),
    ],
)
def test_the_sentence_says_why(
    gating: GatingMatch, counts: tuple[int, int, int, int, int], sentence: str
) -> None:
    assert gating.judge(Pentanomial(counts)).sentence == sentence


def test_too_few_games_promote_nobody_by_interval() -> None:
    pairs = Pentanomial((0, 0, 0, 0, 20))
    verdict = GatingMatch(rule="interval", min_games=42).judge(pairs)
    assert (verdict.promoted, verdict.games, verdict.score) == (False, 40, 1.0)
    assert verdict.sentence.endswith("fewer games than 42")
    assert GatingMatch(rule="interval", min_games=40).judge(pairs).promoted
    assert GatingMatch(rule="half", min_games=42).judge(pairs).promoted


def test_a_match_is_judged_from_the_players_side() -> None:
    strong, weak = load_player("teacher:depth=1"), load_player("random")
    gating = GatingMatch(rule="interval", games=40, min_games=40)
    won = gating.play(strong, weak, seed=1)
    lost = gating.play(weak, strong, seed=1)
    assert (won.promoted, lost.promoted) == (True, False)
    assert won.low > 0.9
    assert lost.high < 0.1
    assert gating.play(strong, weak, seed=1) == won


def test_identical_players_are_promoted_within_the_margin() -> None:
    """Both games of a pair are then the same game, so the interval is narrow."""
    players = (Scripted("a", first_move), Scripted("b", first_move))
    for gating in (
        GatingMatch(rule="interval", max_plies=20),
        GatingMatch(rule="half", max_plies=20),
    ):
        verdict = gating.play(*players, seed=1)
        assert (verdict.promoted, verdict.score) == (True, 0.5)
    strict = GatingMatch(rule="interval", margin=0, max_plies=20)
    assert not strict.play(*players, seed=1).promoted


@pytest.mark.parametrize(
    ("settings", "cause"),
    [
        ({"games": 3}, "3 games are no pairs"),
        ({"games": MAX_GAMES + 2}, f"at most {MAX_GAMES} do not"),
        ({"margin": 0.5}, "bad margin 0.5"),
        ({"margin": -0.1}, "bad margin -0.1"),
        ({"games": 20}, "nobody could be promoted: 20 games, min_games 100"),
        ({"rule": "seed"}, "no rule 'seed'; there are: sprt, interval, points, half, always"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], cause: str) -> None:
    with pytest.raises(ValueError, match=cause):
        GatingMatch(**({"rule": "interval"} | settings))


def test_no_opening_is_played_twice() -> None:
    assert len(shipped_openings()) * 2 == MAX_GAMES
