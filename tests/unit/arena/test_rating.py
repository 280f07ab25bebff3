"""Ratings: against choix, by hand, coverage of the intervals."""

import math
from collections.abc import Sequence
from itertools import combinations, pairwise

import choix
import numpy as np
import pytest

from selfmate.arena.elo import (
    ELO_PER_NAT,
    Pentanomial,
    Wdl,
    elo_of_score,
    estimate_elo,
    score_of_elo,
)
from selfmate.arena.rating import PRIOR_PRECISION, Pairing, Rating, fit_ratings
from unit.arena.simulated_pairs import Conditions, Floats, pair_distribution

ZERO = {"random": 0.0}
Link = tuple[str, str]


def pentanomial(counts: Sequence[int] | np.ndarray) -> Pentanomial:
    lost, less, even, more, won = (int(count) for count in counts)
    return Pentanomial((lost, less, even, more, won))


def test_two_players_by_hand() -> None:
    # Ten pairs of 1.5 points: 15 of 20. At the optimum the residual balances the prior's pull on
    # each: 20 * (0.75 - p) = precision * d / 2, where p is the logistic function of d nats.
    ratings = fit_ratings([Pairing("a", "random", Pentanomial((0, 0, 0, 10, 0)))], ZERO)
    nats = ratings["a"].elo / ELO_PER_NAT
    assert 20 * (0.75 - 1 / (1 + math.exp(-nats))) == pytest.approx(PRIOR_PRECISION * nats / 2)
    assert ratings["random"] == Rating(elo=0, low=0, high=0, games=20)
    assert ratings["a"].games == 20
    assert ratings["a"].elo == pytest.approx(elo_of_score(0.75), abs=2)


def test_two_players_get_the_elo_of_their_match() -> None:
    pairs, unpaired = Pentanomial((20, 100, 400, 150, 60)), Wdl(wins=9, draws=5, losses=6)
    rating = fit_ratings([Pairing("a", "random", pairs, unpaired)], ZERO)["a"]
    match = estimate_elo(pairs, unpaired)
    assert rating.elo == pytest.approx(match.elo, abs=0.1)
    assert rating.low == pytest.approx(match.elo_low, abs=0.1)
    assert rating.high == pytest.approx(match.elo_high, abs=0.1)


def test_the_order_of_a_pairing_does_not_matter() -> None:
    ab, bc = Pentanomial((1, 2, 5, 3, 4)), Pentanomial((4, 2, 6, 1, 0))
    one = fit_ratings([Pairing("a", "b", ab), Pairing("b", "random", bc)], ZERO)
    other = fit_ratings(
        [Pairing("random", "b", bc.swapped()), Pairing("b", "a", ab.swapped())], ZERO
    )
    for name, rating in one.items():
        assert other[name].elo == pytest.approx(rating.elo)
        assert other[name].high == pytest.approx(rating.high)


def halves_won(pairing: Pairing, index: dict[str, int]) -> list[tuple[int, int]]:
    """Half points as (winner, loser): choix knows no draws."""
    a, b = index[pairing.player], index[pairing.opponent]
    to_a = sum(k * count for k, count in enumerate(pairing.pairs.counts))
    return [(a, b)] * to_a + [(b, a)] * (4 * pairing.pairs.pairs - to_a)


@pytest.mark.parametrize("seed", range(5))
def test_ratings_agree_with_choix(seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = ["random", "a", "b", "c", "d", "e"]
    index = {name: i for i, name in enumerate(names)}
    pairings = [
        Pairing(a, b, pentanomial(rng.integers(0, 8, 5) * rng.integers(0, 2, 5)))
        for a, b in combinations(names, 2)
    ]
    halves = [half for pairing in pairings for half in halves_won(pairing, index)]
    # Half points double the likelihood; choix's penalty is not halved as a normal prior's is.
    nats = choix.opt_pairwise(len(names), halves, alpha=PRIOR_PRECISION, tol=1e-10)
    ratings = fit_ratings(pairings, ZERO)
    for name in names:
        expected = ELO_PER_NAT * (nats[index[name]] - nats[0])
        assert ratings[name].elo == pytest.approx(expected, abs=1e-3)


def test_anchors_are_met_by_least_squares() -> None:
    pairings = [
        Pairing("a", "b", Pentanomial((3, 10, 20, 15, 9))),
        Pairing("b", "c", Pentanomial((2, 8, 20, 22, 14))),
        Pairing("c", "d", Pentanomial((9, 9, 20, 9, 7))),
    ]
    free = fit_ratings(pairings, {"a": 0})
    tied = fit_ratings(pairings, {"a": 1500, "c": 1300, "d": 1350})
    shifts = [1500 - free["a"].elo, 1300 - free["c"].elo, 1350 - free["d"].elo]
    for name, rating in free.items():
        assert tied[name].elo == pytest.approx(rating.elo + sum(shifts) / 3)
    margins = {name: (rating.high or 0) - rating.elo for name, rating in tied.items()}
    assert all(margin > 0 for margin in margins.values())
    assert margins["c"] < (free["c"].high or 0) - free["c"].elo


def test_a_player_that_won_every_game_has_no_upper_bound() -> None:
    pairings = [
        Pairing("a", "random", Pentanomial((2, 3, 5, 3, 4))),
        Pairing("b", "a", Pentanomial((0, 0, 0, 0, 20))),
        Pairing("c", "b", Pentanomial((1, 3, 4, 2, 6))),
        Pairing("d", "random", Pentanomial((9, 0, 0, 0, 0))),
    ]
    ratings = fit_ratings(pairings, ZERO)
    assert {name for name, rating in ratings.items() if rating.high is None} == {"b", "c"}
    assert {name for name, rating in ratings.items() if rating.low is None} == {"d"}
    assert 400 < ratings["b"].elo < 2000
    assert ratings["b"].low is not None
    assert ratings["b"].low > 0


def test_unlinked_players_are_refused() -> None:
    even = Pentanomial((0, 0, 5, 0, 0))
    apart = [
        Pairing("random", "a", even),
        Pairing("b", "c", even),
        Pairing("a", "b", Pentanomial()),
    ]
    with pytest.raises(ValueError, match="no games lead from the anchors to: b, c; everyone must"):
        fit_ratings(apart, ZERO)


def test_bad_pools_are_refused() -> None:
    even = Pentanomial((0, 0, 5, 0, 0))
    with pytest.raises(ValueError, match="anchor 'random' has not played; there are: a, b"):
        fit_ratings([Pairing("a", "b", even)], ZERO)
    with pytest.raises(ValueError, match="anchor 'random' has not played; there are: nobody"):
        fit_ratings([], ZERO)
    with pytest.raises(ValueError, match="no anchor: at least one"):
        fit_ratings([Pairing("a", "b", even)], {})
    with pytest.raises(ValueError, match="player 'a' is paired with itself"):
        fit_ratings([Pairing("a", "a", even)], {"a": 0})


def test_one_sided_pools_converge() -> None:
    """Every player wins every game against the one below: only the prior keeps ratings finite."""
    names = ["random", *(f"level {k}" for k in range(1, 12))]
    sweep = Pentanomial((0, 0, 0, 0, 10_000))
    ratings = fit_ratings([Pairing(b, a, sweep) for a, b in pairwise(names)], ZERO)
    elos = [ratings[name].elo for name in names]
    assert all(higher > lower + 500 for lower, higher in pairwise(elos))


CLOSE = {"random": 0.0, "a": 30.0, "b": 80.0, "c": -40.0, "d": 120.0}
LADDER = {"random": 0.0, "a": 200.0, "b": 400.0, "c": 600.0, "d": 800.0}
STEEP = {"random": 0.0, "a": 350.0, "b": 700.0, "c": 1050.0}


def covered(truth: dict[str, float], ratings: dict[str, Rating]) -> list[bool]:
    def inside(name: str, rating: Rating) -> bool:
        low = -math.inf if rating.low is None else rating.low
        high = math.inf if rating.high is None else rating.high
        return low <= truth[name] <= high

    return [inside(name, rating) for name, rating in ratings.items() if name != "random"]


def coverage(truth: dict[str, float], links: list[Link], pairs: int, given: Conditions) -> Floats:
    """How often each player's interval holds the truth, over a thousand tournaments."""
    rng = np.random.default_rng(6)
    chances = [pair_distribution(score_of_elo(truth[a] - truth[b]), given) for a, b in links]
    hits = [
        covered(truth, fit_ratings(
            [Pairing(a, b, pentanomial(rng.multinomial(pairs, chance)))
             for (a, b), chance in zip(links, chances, strict=True)], ZERO,
        ))
        for _ in range(1000)
    ]  # fmt: skip
    return np.asarray(np.mean(hits, axis=0))


@pytest.mark.parametrize(
    ("truth", "round_robin", "pairs", "conditions"),
    [
        (CLOSE, True, 10, Conditions()),
        (CLOSE, True, 40, Conditions(draw_rate=0.8, white_bias=0.3)),
        (CLOSE, False, 20, Conditions(draw_rate=0.3, taste_bias=0.4)),
        (LADDER, True, 20, Conditions(draw_rate=0.5, white_bias=0.5)),
        (LADDER, False, 20, Conditions()),
        (LADDER, False, 100, Conditions(draw_rate=0.3, taste_bias=0.4)),
        (STEEP, False, 50, Conditions(draw_rate=0.6, white_bias=0.4)),
    ],
)
def test_intervals_cover_the_truth(
    truth: dict[str, float], round_robin: bool, pairs: int, conditions: Conditions
) -> None:
    links = list(combinations(truth, 2)) if round_robin else list(pairwise(truth))
    shares = coverage(truth, links, pairs, conditions)
    assert ((shares >= 0.93) & (shares <= 0.97)).all(), shares
