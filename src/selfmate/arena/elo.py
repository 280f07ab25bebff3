"""How much stronger player A is than B, from the games between them.

Games come in pairs: the same opening twice with colours swapped. The two games of a pair are not
independent (an opening that favours White gives each player a win), so what is counted is pairs.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

Z_95 = NormalDist().inv_cdf(0.975)
ELO_PER_NAT = 400 / math.log(10)  # ratings in natural logarithms of odds, times this, are Elo

# What happened is counted in eight kinds of units: pairs that gave A 0, 0.5, 1, 1.5 or 2 points,
# then single games that gave A 0, 0.5 or 1.
UNIT_POINTS_A = np.array([0, 0.5, 1, 1.5, 2, 0, 0.5, 1])
UNIT_GAMES = np.array([2.0, 2, 2, 2, 2, 1, 1, 1])

# Variance of one decisive game between equals. One such game is mixed into the observed spread: the
# weak prior that keeps intervals finite when no two results differ.
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
        """Counts pairs by the points that A took from each."""
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
        """The same pairs from B's side."""
        lost, less, even, more, won = self.counts
        return Pentanomial((won, more, even, less, lost))

    @property
    def pairs(self) -> int:
        return sum(self.counts)

    @property
    def score(self) -> float:
        """A's points per game, 0..1, of at least one pair."""
        points = sum(k * count for k, count in enumerate(self.counts)) / 2
        return points / (2 * self.pairs)

    @property
    def pair_variance(self) -> float:
        """Mean square distance of a pair's points from their mean."""
        mean = 2 * self.score
        squares = sum(count * (k / 2 - mean) ** 2 for k, count in enumerate(self.counts))
        return squares / self.pairs


@dataclass(frozen=True)
class Wdl:
    """Games that A won, drew and lost; here those whose partner in the pair is missing."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    def __post_init__(self) -> None:
        if min(self.wins, self.draws, self.losses) < 0:
            raise ValueError(f"bad game counts {self}: three numbers of at least 0")


NO_GAMES = Wdl()


@dataclass(frozen=True, kw_only=True)
class EloEstimate:
    """A's strength above B's, with a 95 % interval.

    When A won everything there is no `elo` and no upper bound; when A lost everything, no lower.
    """

    games: int
    score: float  # A's points per game
    elo: float | None
    elo_low: float | None
    elo_high: float | None
    los: float  # likelihood of superiority: how surely A is the stronger, 0..1


def score_of_elo(elo: float) -> float:
    """Points per game expected from a player this much stronger."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of_score(score: float) -> float:
    """The rating difference at which this many points per game are expected."""
    if not 0 < score < 1:
        raise ValueError(f"score {score} has no Elo; it must lie between 0 and 1")
    return ELO_PER_NAT * math.log(score / (1 - score))


def estimate_elo(pairs: Pentanomial, unpaired: Wdl = NO_GAMES) -> EloEstimate:
    """What the games tell about A's strength; ValueError when there are none."""
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
    """How often each kind of unit occurred, [8]."""
    singles = (unpaired.losses, unpaired.draws, unpaired.wins)
    return np.array([*pairs.counts, *singles], dtype=np.float64)


def squared_surprises(counts: Floats, score: Floats) -> Floats:
    """Over all units, the squared distance of their points from those expected at a score.

    counts [..., 8], score [...] -> [...]
    """
    surprises = UNIT_POINTS_A - UNIT_GAMES * score[..., np.newaxis]
    return np.asarray((counts * surprises**2).sum(-1))


def spread_ratio(counts: Floats) -> Floats:
    """Variance of A's points over that of as many independent games without draws.

    It is Kish's design effect: 1 for such games, below 1 with draws and unbalanced openings.
    counts [..., 8] -> [...]
    """
    units, games = counts.sum(-1), counts @ UNIT_GAMES
    score = counts @ UNIT_POINTS_A / games
    observed = squared_surprises(counts, score) * units / np.maximum(units - 1, 1)
    return np.asarray((observed + PRIOR_VARIANCE) / (games * score * (1 - score) + PRIOR_VARIANCE))


def score_interval(counts: Floats) -> tuple[Floats, Floats]:
    """95 % interval of A's expected score, from counts [..., 8].

    Wilson's interval for as many independent decisive games as carry the same information. It stays
    within 0..1, and unlike a plain mean with error bars it covers well close to 0 and 1.
    """
    games = counts @ UNIT_GAMES
    score = counts @ UNIT_POINTS_A / games
    doubt = Z_95**2 * spread_ratio(counts) / games
    middle = (score + doubt / 2) / (1 + doubt)
    half = np.sqrt(doubt * (score * (1 - score) + doubt / 4)) / (1 + doubt)
    return np.asarray(middle - half), np.asarray(middle + half)


def likelihood_of_superiority(counts: Floats) -> float:
    """Above 97.5 % exactly when the interval lies above equality; counts [8]."""
    games = counts @ UNIT_GAMES
    lead_points = counts @ UNIT_POINTS_A - games / 2
    deviation = np.sqrt(spread_ratio(counts) * games / 4)
    return NormalDist().cdf(float(lead_points / deviation))
