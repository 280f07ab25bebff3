"""Elo from pairs: computed by hand, published values, coverage of the intervals."""

import math

import numpy as np
import pytest

from selfmate.arena.elo import (
    Pentanomial,
    Wdl,
    elo_of_score,
    estimate_elo,
    score_interval,
    score_of_elo,
)
from unit.arena.simulated_pairs import Conditions, game_distribution, pair_distribution

MATCHES = 10_000


def test_score_and_elo() -> None:
    assert score_of_elo(0) == 0.5
    assert score_of_elo(400) == pytest.approx(10 / 11)
    assert elo_of_score(0.75) == pytest.approx(400 * math.log10(3))
    assert elo_of_score(score_of_elo(-123.4)) == pytest.approx(-123.4)


@pytest.mark.parametrize("score", [0, 1, -0.1, math.nan])
def test_scores_without_elo_are_refused(score: float) -> None:
    with pytest.raises(ValueError, match=r"has no Elo; it must lie between 0 and 1"):
        elo_of_score(score)


def test_pairs_are_counted_by_points() -> None:
    pairs = Pentanomial.of_points([0, 0.5, 2, 1, 1, 1.5])
    assert pairs == Pentanomial((1, 1, 2, 1, 1))
    assert pairs + Pentanomial((0, 0, 0, 0, 3)) == Pentanomial((1, 1, 2, 1, 4))
    assert Pentanomial((5, 4, 3, 2, 1)).swapped() == Pentanomial((1, 2, 3, 4, 5))
    with pytest.raises(ValueError, match=r"no pair gives 3 points; it gives 0, 0.5, 1, 1.5 or 2"):
        Pentanomial.of_points([3])


def test_bad_counts_are_refused() -> None:
    with pytest.raises(ValueError, match=r"five numbers of at least 0"):
        Pentanomial((0, 0, -1, 0, 0))
    with pytest.raises(ValueError, match=r"three numbers of at least 0"):
        Wdl(wins=-1)


def test_score_and_variance_by_hand() -> None:
    pairs = Pentanomial((1, 0, 1, 1, 1))  # 0 + 1 + 1.5 + 2 = 4.5 points of 8
    assert pairs.pairs == 4
    assert pairs.score == 4.5 / 8
    assert pairs.pair_variance == (1.125**2 + 0.125**2 + 0.375**2 + 0.875**2) / 4


def test_interval_by_hand() -> None:
    # Two even pairs, one won, one lost. Squares 1 + 1, times 4/3 for four pairs, plus the prior
    # 1/4: 35/12, against 8 games of 1/4 plus 1/4: 9/4. Ratio 35/27, doubt 1.96^2 * 35/27 / 8.
    doubt = 1.959964**2 * 35 / 27 / 8
    half = 0.5 * math.sqrt(doubt / (1 + doubt))
    estimate = estimate_elo(Pentanomial((1, 0, 2, 0, 1)))
    assert (estimate.games, estimate.score, estimate.elo, estimate.los) == (8, 0.5, 0, 0.5)
    assert estimate.elo_low == pytest.approx(elo_of_score(0.5 - half))
    assert estimate.elo_high == pytest.approx(elo_of_score(0.5 + half))


def test_single_games_by_hand() -> None:
    # Nine wins and a loss: squares 9 * 0.1^2 + 0.9^2 = 0.9, times 10/9, plus 1/4, over 0.9 + 1/4.
    ratio = 1.25 / 1.15
    estimate = estimate_elo(Pentanomial(), Wdl(wins=9, losses=1))
    assert (estimate.games, estimate.score) == (10, 0.9)
    z = 4 / math.sqrt(ratio * 10 / 4)  # four points above half
    assert estimate.los == pytest.approx((1 + math.erf(z / math.sqrt(2))) / 2)


# Fixed-length tests of Stockfish's fishtest, as quoted in pull requests 4160 and 6255 of
# official-stockfish/Stockfish and 10 of lichess-org/stockfish-web: Ptnml(0-2), Elo, +-, LOS.
@pytest.mark.parametrize(
    ("counts", "elo", "plus_minus", "los"),
    [
        ((39, 5335, 18992, 5622, 12), "1.35", "1.2", "98.6%"),
        ((1, 137, 4659, 203, 0), "2.22", "1.3", "100.0%"),
        ((66, 1042, 2452, 1370, 70), "11.68", "3.7", "100.0%"),
    ],
)
def test_published_matches(
    counts: tuple[int, int, int, int, int], elo: str, plus_minus: str, los: str
) -> None:
    estimate = estimate_elo(Pentanomial(counts))
    assert estimate.elo_low is not None
    assert estimate.elo_high is not None
    assert f"{estimate.elo:.2f}" == elo
    assert f"{(estimate.elo_high - estimate.elo_low) / 2:.1f}" == plus_minus
    assert f"{estimate.los:.1%}" == los


def test_a_clean_sweep_has_one_bound() -> None:
    won = estimate_elo(Pentanomial((0, 0, 0, 0, 20)))
    lost = estimate_elo(Pentanomial((20, 0, 0, 0, 0)))
    assert (won.elo, won.elo_high, lost.elo, lost.elo_low) == (None, None, None, None)
    # The ratio is the prior's, 1: Wilson's bound for 40 wins in 40 games is 40 / (40 + 1.96^2).
    bound = elo_of_score(40 / (40 + 1.959964**2))
    assert won.elo_low == pytest.approx(bound)
    assert lost.elo_high == pytest.approx(-bound)
    assert won.los > 0.9999
    assert lost.los < 0.0001


def test_draws_only_still_give_an_interval() -> None:
    few, many = (estimate_elo(Pentanomial((0, 0, n, 0, 0))).elo_high for n in (20, 200))
    assert few is not None
    assert many is not None
    assert few > 10
    assert 0 < many < few


def test_no_games_have_no_elo() -> None:
    with pytest.raises(ValueError, match="at least one is needed"):
        estimate_elo(Pentanomial())


def test_swapping_the_players_negates_elo() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        lost, less, even, more, won = (int(count) for count in rng.integers(0, 6, 5) + 1)
        singles = [int(count) for count in rng.integers(0, 4, 3)]
        pairs = Pentanomial((lost, less, even, more, won))
        one = estimate_elo(pairs, Wdl(*singles))
        other = estimate_elo(pairs.swapped(), Wdl(*singles[::-1]))
        assert one.elo == pytest.approx(-(other.elo or 0))
        assert one.elo_low == pytest.approx(-(other.elo_high or 0))
        assert one.los == pytest.approx(1 - other.los)
        assert (one.los > 0.975) == ((one.elo_low or 0) > 0)
        assert (one.elo_low or 0) < (one.elo or 0) < (one.elo_high or 0)


CONDITIONS = {
    "decisive": Conditions(),
    "some draws": Conditions(draw_rate=0.3),
    "unbalanced openings": Conditions(draw_rate=0.3, white_bias=0.6),
    "openings to taste": Conditions(draw_rate=0.6, taste_bias=0.5),
    "many draws": Conditions(draw_rate=0.8, white_bias=0.2),
}


@pytest.mark.parametrize("pairs", [20, 50, 200, 1000])
@pytest.mark.parametrize("conditions", CONDITIONS.values(), ids=CONDITIONS.keys())
@pytest.mark.parametrize("elo", [0, 50, -150, 300, 500])
def test_intervals_cover_the_truth(elo: float, conditions: Conditions, pairs: int) -> None:
    rng = np.random.default_rng(2)
    score = score_of_elo(elo)
    drawn = rng.multinomial(pairs, pair_distribution(score, conditions), MATCHES)
    low, high = score_interval(np.hstack([drawn, np.zeros((MATCHES, 3))]))
    assert 0.93 <= np.mean((low <= score) & (score <= high)) <= 0.97


@pytest.mark.parametrize("elo", [0, 200])
def test_intervals_cover_the_truth_with_single_games(elo: float) -> None:
    rng = np.random.default_rng(3)
    score, conditions = score_of_elo(elo), Conditions(draw_rate=0.3, white_bias=0.5)
    pairs = rng.multinomial(20, pair_distribution(score, conditions), MATCHES)
    singles = rng.multinomial(10, game_distribution(score, 0.3), MATCHES)
    low, high = score_interval(np.hstack([pairs, singles]).astype(np.float64))
    assert 0.93 <= np.mean((low <= score) & (score <= high)) <= 0.97


def test_short_matches_and_rare_wins_are_not_overconfident() -> None:
    """Few different results are possible here, so coverage jumps; its mean must not be low."""
    rng = np.random.default_rng(4)
    covered = []
    for elo in (0, 100, 300):
        for draw_rate in (0.0, 0.6, 0.95):
            score = score_of_elo(elo)
            chances = pair_distribution(score, Conditions(draw_rate=draw_rate))
            drawn = rng.multinomial(10, chances, MATCHES)
            low, high = score_interval(np.hstack([drawn, np.zeros((MATCHES, 3))]))
            covered.append(np.mean((low <= score) & (score <= high)))
    assert min(covered) >= 0.9
    assert np.mean(covered) >= 0.94
