"""Elo of player A above player B with a 95 % interval, from the games between them.

Games come in pairs: the same opening twice with colours swapped. The two games of a pair are not
independent (an opening that favours White gives each player a win), so pairs are counted, by A's
points: 0, 0.5, 1, 1.5 or 2. Fishtest calls these five counts the pentanomial.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

Z_95 = NormalDist().inv_cdf(0.975)
ELO_PER_NAT = 400 / math.log(10)  # Elo = this times the natural logarithm of the odds

# Results are counted in eight kinds of units [8]: pairs that gave A 0, 0.5, 1, 1.5 or 2 points,
# then single games, whose partner is missing, that gave A 0, 0.5 or 1.
UNIT_POINTS_A = np.array([0, 0.5, 1, 1.5, 2, 0, 0.5, 1])
UNIT_GAMES = np.array([2.0, 2, 2, 2, 2, 1, 1, 1])

# Variance of one decisive game between equals. One such game is added to the observed variance as a
# weak prior, which keeps intervals finite when all results are the same.
PRIOR_VARIANCE = 0.25


@dataclass(frozen=True)
class Pentanomial:
    """How many pairs gave player A 0, 0.5, 1, 1.5 and 2 points."""

    counts: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)

    def __post_init__(self) -> None:
        if len(self.counts) != 5 or min(self.counts) < 0:
            raise ValueError(f"bad pair counts {self.counts}: five numbers of at least 0")

    @classmethod
    def of_points(cls, points_a: Iterable[float]) -> "Pentanomial":
        """Counts pairs by A's points in each."""
        counts = [0] * 5
        for points in points_a:
            if points not in (0, 0.5, 1, 1.5, 2):
                raise ValueError(f"no pair gives {points} points; it gives 0, 0.5, 1, 1.5 or 2")
            counts[round(2 * points)] += 1
        return cls((counts[0], counts[1], counts[2], counts[3], counts[4]))

    def __add__(self, other: "Pentanomial") -> "Pentanomial":
        a, b = self.counts, other.counts
        return Pentanomial((a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4]))

    def swapped(self) -> "Pentanomial":
        """The same pairs in B's view."""
        p0, p1, p2, p3, p4 = self.counts
        return Pentanomial((p4, p3, p2, p1, p0))

    @property
    def pairs(self) -> int:
        return sum(self.counts)

    @property
    def score(self) -> float:
        """A's points per game, 0..1; needs at least one pair."""
        points = sum(k * count for k, count in enumerate(self.counts)) / 2
        return points / (2 * self.pairs)

    @property
    def pair_variance(self) -> float:
        """Variance of the points of a pair, 0..1; needs at least one pair."""
        mean = 2 * self.score
        squares = sum(count * (k / 2 - mean) ** 2 for k, count in enumerate(self.counts))
        return squares / self.pairs


@dataclass(frozen=True)
class Wdl:
    """Single games that A won, drew and lost: those whose partner in the pair is missing."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    def __post_init__(self) -> None:
        if min(self.wins, self.draws, self.losses) < 0:
            raise ValueError(f"bad game counts {self}: three numbers of at least 0")


NO_GAMES = Wdl()


@dataclass(frozen=True, kw_only=True)
class EloEstimate:
    """A's Elo above B with a 95 % interval.

    If A won every game, there is no `elo` and no upper bound; if A lost every game, no lower bound.
    """

    games: int
    score: float  # A's points per game
    elo: float | None
    elo_low: float | None
    elo_high: float | None
    los: float  # likelihood of superiority: the probability that A is stronger, 0..1


def score_of_elo(elo: float) -> float:
    """The expected points per game, 0..1, of a player this many Elo stronger."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of_score(score: float) -> float:
    """The inverse of `score_of_elo`."""
    if not 0 < score < 1:
        raise ValueError(f"score {score} has no Elo; it must lie between 0 and 1")
    return ELO_PER_NAT * math.log(score / (1 - score))


def estimate_elo(pairs: Pentanomial, unpaired: Wdl = NO_GAMES) -> EloEstimate:
    """Elo from pairs and single games; ValueError if there are none."""
    counts = unit_counts(pairs, unpaired)
    games = round(float(counts @ UNIT_GAMES))
    if games == 0:
        raise ValueError("no games, so no Elo: at least one is needed")
    score = float(counts @ UNIT_POINTS_A) / games
    low, high = score_interval(counts)
    return EloEstimate(
        games=games,
        score=score,
        elo=elo_of_score(score) if 0 < score < 1 else None,
        elo_low=elo_of_score(float(low)) if score > 0 else None,
        elo_high=elo_of_score(float(high)) if score < 1 else None,
        los=likelihood_of_superiority(counts),
    )


def unit_counts(pairs: Pentanomial, unpaired: Wdl = NO_GAMES) -> Floats:
    """How many units of each kind there are, [8]."""
    singles = (unpaired.losses, unpaired.draws, unpaired.wins)
    return np.array([*pairs.counts, *singles], dtype=np.float64)


def squared_residuals(counts: Floats, score: Floats) -> Floats:
    """Sum over all units of (points - expected points)^2, if A's expected score is `score`.

    counts [..., 8], score [...] -> [...]
    """
    residuals = UNIT_POINTS_A - UNIT_GAMES * score[..., np.newaxis]
    return np.asarray((counts * residuals**2).sum(-1))


def variance_ratio(counts: Floats) -> Floats:
    """Variance of A's points relative to as many independent games without draws.

    This is Kish's design effect (Survey Sampling, 1965): 1 for such games, below 1 with draws and
    with unbalanced openings. counts [..., 8] -> [...]
    """
    units, games = counts.sum(-1), counts @ UNIT_GAMES
    score = counts @ UNIT_POINTS_A / games
    observed = squared_residuals(counts, score) * units / np.maximum(units - 1, 1)
    return np.asarray((observed + PRIOR_VARIANCE) / (games * score * (1 - score) + PRIOR_VARIANCE))


def score_interval(counts: Floats) -> tuple[Floats, Floats]:
    """95 % interval of A's expected score: counts [..., 8] -> low [...], high [...].

    Wilson's interval (1927), with n = games / variance ratio independent decisive games. It stays
    within 0..1 and, unlike mean plus or minus z deviations, covers well close to 0 and 1.
    """
    games = counts @ UNIT_GAMES
    score = counts @ UNIT_POINTS_A / games
    z2_over_n = Z_95**2 * variance_ratio(counts) / games
    middle = (score + z2_over_n / 2) / (1 + z2_over_n)
    half = np.sqrt(z2_over_n * (score * (1 - score) + z2_over_n / 4)) / (1 + z2_over_n)
    return np.asarray(middle - half), np.asarray(middle + half)


def likelihood_of_superiority(counts: Floats) -> float:
    """The probability that A is stronger, 0..1, by the normal distribution; counts [8].

    It is above 97.5 % exactly if the 95 % interval lies above equality.
    """
    games = counts @ UNIT_GAMES
    lead_points = counts @ UNIT_POINTS_A - games / 2
    deviation = np.sqrt(variance_ratio(counts) * games / 4)
    return NormalDist().cdf(float(lead_points / deviation))
