"""When to stop a match: the generalised sequential probability ratio test on game pairs.

H0 says that A is elo0 stronger, H1 that A is elo1 stronger. Each is granted the likeliest of the
distributions of pair scores that have its mean; the logarithm of the ratio of their likelihoods
(LLR) is compared with Wald's bounds. This is fishtest's test in its logistic form; the theory is at
https://www.cantate.be/Fishtest/support_MLE_multinomial.pdf (proposition 1.1).
"""

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from selfmate.arena.elo import Floats, Pentanomial, score_of_elo

PAIR_SCORES = np.arange(5) / 4  # points per game in the five kinds of pairs
ZERO_COUNT = 1e-3  # stands for a kind of pair not seen yet, as in fishtest
HALVINGS = 60  # down to the precision of doubles
MAX_ELO = 2000.0


class Verdict(StrEnum):
    H0 = "H0"
    H1 = "H1"


@dataclass(frozen=True)
class Sprt:
    """The two hypotheses, and how often each may be rejected although it is true."""

    elo0: float
    elo1: float
    alpha: float = 0.05  # H1 accepted although H0 is true
    beta: float = 0.05  # H0 accepted although H1 is true

    def __post_init__(self) -> None:
        if not -MAX_ELO <= self.elo0 < self.elo1 <= MAX_ELO:
            raise ValueError(
                f"bad SPRT bounds {self.elo0:g},{self.elo1:g}: "
                f"elo0 must be below elo1, both within -{MAX_ELO:g}..{MAX_ELO:g}"
            )
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < rate < 0.5:
                raise ValueError(f"bad SPRT {name} {rate:g}: it must lie between 0 and 0.5")

    @property
    def lower_bound(self) -> float:
        """H0 is accepted when the LLR falls to this."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper_bound(self) -> float:
        """H1 is accepted when the LLR rises to this."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, pairs: Pentanomial) -> float:
        """Logarithm of how much likelier H1 makes these pairs than H0."""
        return float(log_likelihood_ratio(np.array(pairs.counts), self.elo0, self.elo1))

    def verdict(self, pairs: Pentanomial) -> Verdict | None:
        """The hypothesis accepted, None while the match must go on."""
        llr = self.llr(pairs)
        if llr >= self.upper_bound:
            return Verdict.H1
        return Verdict.H0 if llr <= self.lower_bound else None


def parse_sprt(text: str) -> Sprt:
    """Reads `elo0,elo1` or `elo0,elo1,alpha,beta`."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (2, 4):
        raise ValueError(f"bad SPRT {text!r}: it must be elo0,elo1 or elo0,elo1,alpha,beta")
    return Sprt(*numbers)


def log_likelihood_ratio(counts: Floats, elo0: float, elo1: float) -> Floats:
    """LLR of pair counts [..., 5] -> [...]."""
    seen = np.where(counts == 0, ZERO_COUNT, counts)
    return np.asarray(
        greatest_log_likelihood(seen, score_of_elo(elo1))
        - greatest_log_likelihood(seen, score_of_elo(elo0))
    )


def greatest_log_likelihood(counts: Floats, score: float) -> Floats:
    """Of all distributions over pairs with a mean score, the log-likelihood of the likeliest.

    It is told relative to the frequencies themselves, so it is 0 at the observed mean. By Lagrange,
    the likeliest distribution is frequency / (1 + tilt * (pair score - mean)).
    counts [..., 5], all above 0 -> [...]
    """
    distances = PAIR_SCORES - score
    tilts = solve_tilt(counts, distances)
    return np.asarray(-(counts * np.log1p(tilts[..., np.newaxis] * distances)).sum(-1))


def solve_tilt(counts: Floats, distances: Floats) -> Floats:
    """The root of sum(counts * distances / (1 + tilt * distances)), which falls with tilt."""
    low = np.full(counts.shape[:-1], -1 / distances[-1])
    high = np.full(counts.shape[:-1], -1 / distances[0])
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        pulls = counts * distances / (1 + middle[..., np.newaxis] * distances)
        too_small = pulls.sum(-1) > 0
        low, high = np.where(too_small, middle, low), np.where(too_small, high, middle)
    return np.asarray((low + high) / 2)
