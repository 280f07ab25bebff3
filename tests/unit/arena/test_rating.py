"""Ratings: against choix, by hand, coverage of the intervals, players that bend no ruler."""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise

import choix
import numpy as np
import pytest

from selfmate.arena.elo import ELO_PER_NAT, Pentanomial, estimate_elo, score_of_elo
from selfmate.arena.rating import (
    PRIOR_DEVIATION_ELO,
    PRIOR_MEAN_ELO,
    SCALE,
    Anchor,
    Pairing,
    Rating,
    Ruler,
    fit_ruler,
)
from unit.arena.simulated_pairs import Conditions, Floats, pair_distribution

EVEN = Pentanomial((0, 0, 5, 0, 0))
ERROR = 30.0


def pentanomial(counts: Sequence[int] | np.ndarray) -> Pentanomial:
    lost, less, even, more, won = (int(count) for count in counts)
    return Pentanomial((lost, less, even, more, won))


def exact(elo: float) -> Anchor:
    return Anchor(elo, 1e-3)


def exact_ruler(**elos: float) -> Ruler:
    """A ruler without error."""
    covariance = np.zeros((len(elos), len(elos)))
    nats = np.array(list(elos.values())) / ELO_PER_NAT
    return Ruler(tuple(elos), nats, covariance, np.zeros(len(elos)), 1.0)


# The ruler


def test_the_data_and_the_prior_of_an_anchor_by_hand() -> None:
    # `a` is known exactly, `b` with an error. Half of 200 points: b's residual 100 - 200 p pulls it
    # towards a, the prior back: residual = (elo - 300) / error^2, in nats.
    anchors = {"a": exact(0), "b": Anchor(300, 50)}
    ruler = fit_ruler([Pairing("b", "a", Pentanomial((0, 0, 100, 0, 0)))], anchors)
    elo = ruler.elo("b")
    pull = (elo - 300) / ELO_PER_NAT * (ELO_PER_NAT / 50) ** 2
    assert 100 - 200 * score_of_elo(elo) == pytest.approx(pull, abs=1e-3)
    assert 0 < elo < 300
    assert ruler.elo("a") == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize("seed", range(5))
def test_the_weighted_residuals_of_every_rung_add_up_to_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = ["anchor", "a", "b", "c", "d", "e"]
    pairings = [
        Pairing(a, b, pentanomial(1 + rng.integers(0, 8, 5) * rng.integers(0, 2, 5)))
        for a, b in combinations(names, 2)
    ]
    ruler = fit_ruler(pairings, {"anchor": exact(PRIOR_MEAN_ELO)})
    scores = [
        score_of_elo(ruler.elo(match.player) - ruler.elo(match.opponent)) for match in pairings
    ]
    nearest = max(score * (1 - score) for score in scores)
    pull = dict.fromkeys(names, 0.0)
    for match, score in zip(pairings, scores, strict=True):
        weight, games = score * (1 - score) / nearest, 2 * match.pairs.pairs
        residual = weight * games * (match.pairs.score - score)
        pull[match.player] += residual
        pull[match.opponent] -= residual
    for name in names[1:]:
        assert pull[name] == pytest.approx(0, abs=0.01)  # all but the weak prior


def halves_won(pairing: Pairing, index: dict[str, int]) -> list[tuple[int, int]]:
    """Half points as (winner, loser): choix knows no draws."""
    a, b = index[pairing.player], index[pairing.opponent]
    to_a = sum(k * count for k, count in enumerate(pairing.pairs.counts))
    return [(a, b)] * to_a + [(b, a)] * (4 * pairing.pairs.pairs - to_a)


@pytest.mark.parametrize("seed", range(5))
def test_a_ruler_agrees_with_choix_where_results_fit_the_model(seed: int) -> None:
    """Choix weights all games alike, which makes no difference then."""
    rng = np.random.default_rng(seed)
    truth = dict(zip(["anchor", *"abcde"], [1000, *rng.normal(1000, 150, 5)], strict=True))
    index = {name: i for i, name in enumerate(truth)}
    pairings = []
    for a, b in combinations(truth, 2):
        chances = pair_distribution(score_of_elo(truth[a] - truth[b]), Conditions(draw_rate=0.4))
        pairings.append(Pairing(a, b, pentanomial(np.rint(400 * chances))))
    halves = [half for pairing in pairings for half in halves_won(pairing, index)]
    nats = choix.opt_pairwise(len(truth), halves, alpha=1e-6, tol=1e-10)
    ruler = fit_ruler(pairings, {"anchor": exact(1000)})
    for name, i in index.items():
        expected = 1000 + ELO_PER_NAT * (nats[i] - nats[0])
        assert ruler.elo(name) == pytest.approx(expected, abs=1)


def test_anchors_are_met_as_far_as_their_errors_say() -> None:
    pairings = [Pairing("a", "b", Pentanomial((0, 0, 10**6, 0, 0)))]
    ruler = fit_ruler(pairings, {"a": Anchor(1000, 10), "b": Anchor(1100, 20)})
    # Both are equal by their games, so both are the mean weighted by precision.
    expected = (1000 / 10**2 + 1100 / 20**2) / (1 / 10**2 + 1 / 20**2)
    for name in "ab":
        assert ruler.elo(name) == pytest.approx(expected, abs=2)


def test_unlinked_rungs_and_bad_pools_are_refused() -> None:
    apart = [Pairing("x", "a", EVEN), Pairing("b", "c", EVEN)]
    with pytest.raises(ValueError, match="no games lead from an anchor to: b, c; everyone must"):
        fit_ruler(apart, {"x": exact(0)})
    with pytest.raises(ValueError, match="no anchor has played; there are: a, b"):
        fit_ruler([Pairing("a", "b", EVEN)], {"x": exact(0)})
    with pytest.raises(ValueError, match="no anchor has played; there are: nobody"):
        fit_ruler([], {"x": exact(0)})
    with pytest.raises(ValueError, match="player 'a' is paired with itself"):
        fit_ruler([Pairing("a", "a", EVEN)], {"a": exact(0)})


def test_one_sided_rulers_converge() -> None:
    """Every rung wins every game against the one below: only the prior keeps ratings finite."""
    names = ["anchor", *(f"level {k}" for k in range(1, 8))]
    sweep = Pentanomial((0, 0, 0, 0, 10_000))
    ruler = fit_ruler([Pairing(b, a, sweep) for a, b in pairwise(names)], {"anchor": exact(0)})
    assert all(ruler.elo(b) > ruler.elo(a) + 500 for a, b in pairwise(names))


# Players on the ruler


def test_a_player_gets_the_elo_of_its_match() -> None:
    pairs = Pentanomial((20, 100, 400, 150, 60))
    rating = exact_ruler(rung=1000).place([Pairing("a", "rung", pairs)])
    match = estimate_elo(pairs)
    assert match.elo is not None
    assert rating.games == 1460
    assert rating.elo == pytest.approx(1000 + match.elo, abs=0.1)
    assert rating.low == pytest.approx(1000 + (match.elo_low or 0), abs=0.5)
    assert rating.high == pytest.approx(1000 + (match.elo_high or 0), abs=0.5)


def test_the_error_of_the_ruler_is_part_of_a_rating() -> None:
    anchors = {"rung": Anchor(1000, ERROR)}
    ruler = fit_ruler([Pairing("rung", "other", Pentanomial((10, 20, 40, 20, 10)))], anchors)
    rating = ruler.place([Pairing("a", "rung", Pentanomial((0, 0, 10**6, 0, 0)))])
    assert rating.ruler_margin == pytest.approx(1.96 * ERROR, abs=0.5)
    assert rating.high == pytest.approx(1000 + rating.ruler_margin, abs=2)


def test_a_player_that_won_or_lost_every_game_has_one_bound() -> None:
    ruler = exact_ruler(rung=1000)
    won = ruler.place([Pairing("a", "rung", Pentanomial((0, 0, 0, 0, 20)))])
    assert won.high is None
    assert won.low is not None
    assert 1300 < won.low < won.elo < 1000 + PRIOR_DEVIATION_ELO
    assert won.text() == f"above {won.low:.0f}"
    lost = ruler.place([Pairing("a", "rung", Pentanomial((20, 0, 0, 0, 0)))])
    assert lost.low is None
    assert lost.full_text() == f"below {lost.high:.0f} ({SCALE})"


def test_a_rating_in_words() -> None:
    rating = Rating(elo=1650.4, low=1590.1, high=1710.2, games=100)
    assert rating.text() == "about 1650 (1590 to 1710)"
    assert rating.full_text() == f"about 1650 (1590 to 1710; {SCALE})"
    assert "Stockfish skill scale, 100 ms a move" in SCALE


def test_what_more_games_would_bring() -> None:
    rating = Rating(elo=1000, low=950, high=1050, games=100, ruler_margin=30)
    assert rating.margin_after(100) == pytest.approx(50)
    assert rating.margin_after(400) == pytest.approx(math.hypot(40 / 2, 30))
    assert Rating(elo=1000, low=None, high=1050, games=9).margin_after(90) is None


def test_far_opponents_carry_little_weight() -> None:
    """A player of 1000 that draws every second game it should win against `weak`."""
    ruler = exact_ruler(weak=200, near=950, above=1100)
    near = [
        Pairing("a", "near", Pentanomial((10, 15, 40, 20, 15))),
        Pairing("a", "above", Pentanomial((25, 20, 35, 12, 8))),
    ]
    careless = Pairing("a", "weak", Pentanomial((0, 0, 25, 50, 25)))
    fair, shown = ruler.place(near), ruler.place([*near, careless])
    assert abs(shown.elo - fair.elo) < 20
    assert shown.misfit > 1  # and the interval says that one number does not fit
    assert (shown.high or 0) - (shown.low or 0) > 1.5 * ((fair.high or 0) - (fair.low or 0))


# Coverage: how often the 95 % interval holds the truth

TABLE = {"s0": 1320.0, "s1": 1468.0, "s2": 1608.0, "s3": 1742.0}
BUILT_IN = {
    "t1": -300.0,
    "t2": 0.0,
    "t3": 350.0,
    "t4": 600.0,
    "t5": 900.0,
    "t6": 1200.0,
    "t7": 1450.0,
}
PLAYERS = {"low": -150.0, "middle": 700.0, "high": 1420.0}
OPPONENTS = {
    "low": ("t1", "t2", "t3"),
    "middle": ("t3", "t4", "t5", "t6"),
    "high": ("t6", "t7", "s0", "s1"),
}
LINKS = (
    *pairwise(TABLE),
    *pairwise(BUILT_IN),
    *zip(BUILT_IN, list(BUILT_IN)[2:], strict=False),
    *(("s0", "t7"), ("s1", "t7"), ("s0", "t6")),
)


class Tournament:
    """Rungs with random errors of their anchors, and everyone's games."""

    def __init__(self, rng: np.random.Generator, pairs: int, given: Conditions) -> None:
        self._rng, self._pairs, self._given = rng, pairs, given
        drawn = {name: elo + rng.normal(0, ERROR) for name, elo in TABLE.items()}
        self.truth = drawn | BUILT_IN | PLAYERS
        self.ruler = fit_ruler(
            [self._games(a, b, 100) for a, b in LINKS],
            {name: Anchor(elo, ERROR) for name, elo in TABLE.items()},
        )

    def _games(self, a: str, b: str, pairs: int) -> Pairing:
        chances = pair_distribution(score_of_elo(self.truth[a] - self.truth[b]), self._given)
        return Pairing(a, b, pentanomial(self._rng.multinomial(pairs, chances)))

    def ratings(self) -> dict[str, Rating]:
        rungs = {name: self.ruler.rating(name) for name in self.ruler.names}
        return rungs | {
            player: self.ruler.place([self._games(player, rung, self._pairs) for rung in opponents])
            for player, opponents in OPPONENTS.items()
        }


def is_covered(truth: Mapping[str, float], ratings: Mapping[str, Rating]) -> list[bool]:
    def inside(name: str, rating: Rating) -> bool:
        low = -math.inf if rating.low is None else rating.low
        high = math.inf if rating.high is None else rating.high
        return low <= truth[name] <= high

    return [inside(name, rating) for name, rating in ratings.items()]


def coverage(pairs: int, given: Conditions) -> Floats:
    rng = np.random.default_rng(6)
    hits = []
    for _ in range(1000):
        tournament = Tournament(rng, pairs, given)
        hits.append(is_covered(tournament.truth, tournament.ratings()))
    return np.asarray(np.mean(hits, axis=0))


@pytest.mark.parametrize(
    ("pairs", "conditions"),
    [
        (10, Conditions()),
        (25, Conditions(draw_rate=0.3, taste_bias=0.4)),
        (25, Conditions(draw_rate=0.5, white_bias=0.5)),
        (100, Conditions(draw_rate=0.8, white_bias=0.3)),
    ],
)
def test_intervals_cover_the_truth(pairs: int, conditions: Conditions) -> None:
    shares = coverage(pairs, conditions)
    assert ((shares >= 0.93) & (shares <= 0.97)).all(), shares
