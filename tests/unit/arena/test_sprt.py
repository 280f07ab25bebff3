"""SPRT: published values, a brute-force method, and the promised error rates."""

import math

import numpy as np
import pytest

from selfmate.arena.elo import Pentanomial, score_of_elo
from selfmate.arena.sprt import (
    Sprt,
    Verdict,
    log_likelihood_ratio,
    max_log_likelihood,
    parse_sprt,
)
from unit.arena.simulated_pairs import Conditions, Floats, pair_distribution

Counts = tuple[int, int, int, int, int]


# Tests of Stockfish's fishtest with logistic bounds (in braces then), as quoted in pull requests of
# official-stockfish/Stockfish: number, Ptnml(0-2), bounds, LLR.
@pytest.mark.parametrize(
    ("pull_request", "counts", "elo0", "elo1", "llr"),
    [
        (2913, (2073, 13759, 27890, 13977, 1973), -1.5, 0.5, "2.97"),
        (2920, (665, 4806, 9333, 4893, 747), -0.5, 1.5, "2.95"),
        (2920, (328, 4564, 15580, 4789, 371), 0.25, 1.75, "2.98"),
        (2951, (59, 754, 2467, 865, 75), -0.5, 1.5, "2.95"),
        (2971, (17, 253, 1042, 337, 39), -0.5, 1.5, "2.96"),
        (2971, (11, 407, 3238, 513, 11), 0.25, 1.75, "2.93"),
        (3098, (53, 2220, 21459, 2445, 47), 0.25, 1.25, "2.97"),
        (3209, (253, 4282, 17604, 4431, 286), -0.25, 1.25, "2.94"),
        (3232, (56, 2977, 37849, 3255, 51), 0.25, 1.25, "2.95"),
    ],
)
def test_published_ratios(
    pull_request: int, counts: Counts, elo0: float, elo1: float, llr: str
) -> None:
    assert f"{Sprt(elo0, elo1).llr(Pentanomial(counts)):.2f}" == llr, pull_request


def test_ratio_by_hand() -> None:
    # Only lost and won pairs: with mean s they have probabilities 1 - s and s, so the LLR is
    # binomial. The kinds never seen count a thousandth each and hardly matter.
    ratio = 70 * math.log(score_of_elo(80) / 0.5) + 30 * math.log((1 - score_of_elo(80)) / 0.5)
    assert Sprt(0, 80).llr(Pentanomial((30, 0, 0, 0, 70))) == pytest.approx(ratio, abs=0.01)


def slow_log_likelihood(counts: Floats, score: float) -> float:
    """By brute force: probabilities of three kinds on ever finer grids; two follow from them."""
    frequencies = counts / counts.sum()
    centre, width = frequencies[1:4], 1.0
    best = -math.inf
    for _ in range(60):
        offsets = np.linspace(-width, width, 11)
        axes = [np.maximum(middle + offsets, 1e-12) for middle in centre]
        grid = np.stack(np.meshgrid(*axes), -1)
        won = score - grid @ np.array([0.25, 0.5, 0.75])
        lost = 1 - grid.sum(-1) - won
        possible = (won > 0) & (lost > 0)
        chances = np.stack([lost, *np.moveaxis(grid, -1, 0), won], -1)[possible]
        values = (counts * np.log(chances / frequencies)).sum(-1)
        if values.size and values.max() > best:
            best, centre = values.max(), chances[values.argmax()][1:4]
        else:
            width /= 2
    return best


@pytest.mark.parametrize("counts", [(5, 20, 41, 25, 9), (1, 1, 3, 1, 7), (30, 2, 2, 2, 4)])
@pytest.mark.parametrize("elo", [-200, 0, 30, 300])
def test_likelihoods_agree_with_brute_force(counts: Counts, elo: float) -> None:
    seen = np.array(counts, dtype=np.float64)
    fast = float(max_log_likelihood(seen, score_of_elo(elo)))
    assert fast == pytest.approx(slow_log_likelihood(seen, score_of_elo(elo)), abs=1e-6)


def test_without_pairs_the_test_is_undecided() -> None:
    assert Sprt(0, 50).llr(Pentanomial()) == pytest.approx(0, abs=1e-3)
    assert Sprt(0, 50).verdict(Pentanomial()) is None


def test_swapping_the_players_negates_the_ratio() -> None:
    pairs = Pentanomial((9, 20, 50, 31, 12))
    assert Sprt(0, 50).llr(pairs) == pytest.approx(-Sprt(-50, 0).llr(pairs.swapped()))


def test_bounds_and_verdicts() -> None:
    sprt = Sprt(0, 50)
    assert (sprt.lower_bound, sprt.upper_bound) == pytest.approx((-math.log(19), math.log(19)))
    assert Sprt(0, 5, 0.05, 0.1).lower_bound == pytest.approx(math.log(0.1 / 0.95))
    assert Sprt(0, 5, 0.05, 0.1).upper_bound == pytest.approx(math.log(0.9 / 0.05))
    assert sprt.verdict(Pentanomial((10, 20, 30, 50, 60))) is Verdict.H1
    assert sprt.verdict(Pentanomial((60, 50, 30, 20, 10))) is Verdict.H0
    assert f"{Verdict.H1}" == "H1"


def test_texts_are_parsed() -> None:
    assert parse_sprt("0,50") == Sprt(0, 50)
    assert parse_sprt("-5, 0.5,0.1,0.2") == Sprt(-5, 0.5, 0.1, 0.2)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", r"bad SPRT '': it must be elo0,elo1 or elo0,elo1,alpha,beta"),
        ("0,x", r"bad SPRT '0,x': it must be"),
        ("0,5,0.1", r"bad SPRT '0,5,0.1': it must be"),
        ("5,0", r"bad SPRT bounds 5,0: elo0 must be below elo1, both within -2000..2000"),
        ("0,nan", r"bad SPRT bounds 0,nan"),
        ("0,inf", r"bad SPRT bounds 0,inf"),
        ("0,5,0,0.05", r"bad SPRT alpha 0: it must lie between 0 and 0.5"),
        ("0,5,0.05,0.5", r"bad SPRT beta 0.5: it must lie"),
    ],
)
def test_bad_texts_are_refused(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        parse_sprt(text)


def rate_of_h1(sprt: Sprt, elo: float, conditions: Conditions, runs: int) -> float:
    """How often H1 is accepted when A is this much stronger, looking after every pair."""
    rng = np.random.default_rng(5)
    chances = pair_distribution(score_of_elo(elo), conditions)
    counts, accepted = np.zeros((runs, 5)), 0
    while len(counts):
        counts += rng.multinomial(1, chances, len(counts))
        llr = log_likelihood_ratio(counts, sprt.elo0, sprt.elo1)
        accepted += int((llr >= sprt.upper_bound).sum())
        counts = counts[(llr > sprt.lower_bound) & (llr < sprt.upper_bound)]
    return accepted / runs


@pytest.mark.parametrize(
    ("sprt", "conditions"),
    [
        (Sprt(0, 200), Conditions()),
        (Sprt(0, 100), Conditions(draw_rate=0.3, taste_bias=0.4)),
        (Sprt(-30, 30, 0.05, 0.1), Conditions(draw_rate=0.8, white_bias=0.3)),
        (Sprt(0, 50), Conditions(draw_rate=0.5, white_bias=0.5)),
    ],
)
def test_error_rates_are_as_promised(sprt: Sprt, conditions: Conditions) -> None:
    runs = 2000
    noise = 3 * math.sqrt(0.05 * 0.95 / runs)
    assert rate_of_h1(sprt, sprt.elo0, conditions, runs) <= sprt.alpha + noise
    assert rate_of_h1(sprt, sprt.elo1, conditions, runs) >= 1 - sprt.beta - noise
