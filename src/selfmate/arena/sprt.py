"""SPRT: the sequential probability ratio test that ends a match when its result is clear.

H0 says that A is elo0 stronger than B, H1 that A is elo1 stronger. The observations are game pairs
with a score of 0, 1/4, 1/2, 3/4 or 1 (pentanomial). Each hypothesis fixes only the mean of their
distribution, so the generalised test compares the most likely distributions with each mean: the
logarithm of the ratio of their likelihoods is the LLR. The match ends when the LLR leaves Wald's
bounds (Sequential Tests of Statistical Hypotheses, 1945):

    log(beta / (1 - alpha)) < LLR < log((1 - beta) / alpha)

This is Fishtest's test in its logistic form. Theory: Michel Van den Bergh, proposition 1.1 of
https://www.cantate.be/Fishtest/support_MLE_multinomial.pdf.
"""

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from selfmate.arena.elo import Floats, Pentanomial, score_of_elo

PAIR_SCORES = np.arange(5) / 4  # [5] points per game in the five kinds of pairs
ZERO_COUNT = 1e-3  # replaces a count of 0, as in Fishtest: no kind of pair is impossible
BISECTIONS = 60  # down to the precision of doubles
MAX_ELO = 2000.0


class Verdict(StrEnum):
    """The hypothesis that the test accepts."""

    H0 = "H0"
    H1 = "H1"


@dataclass(frozen=True)
class Sprt:
    """The two hypotheses and the error rates of the test."""

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
        """H0 is accepted when the LLR is this or less."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper_bound(self) -> float:
        """H1 is accepted when the LLR is this or more."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, pairs: Pentanomial) -> float:
        """Log-likelihood ratio of the pairs, positive if they speak for H1."""
        return float(log_likelihood_ratio(np.array(pairs.counts), self.elo0, self.elo1))

    def verdict(self, pairs: Pentanomial) -> Verdict | None:
        """The accepted hypothesis; None while the match must go on."""
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
        max_log_likelihood(seen, score_of_elo(elo1)) - max_log_likelihood(seen, score_of_elo(elo0))
    )


def max_log_likelihood(counts: Floats, score: float) -> Floats:
    """The highest log-likelihood of the counts under a distribution of pairs with mean `score`.

    With observed frequencies f and pair scores a, the most likely distribution with mean s is
    p = f / (1 + t (a - s)), where the Lagrange multiplier t makes the mean s. The result is
    sum(counts * log(p / f)): relative to f, so 0 if s is the observed mean.
    counts [..., 5], all above 0 -> [...]
    """
    deviations = PAIR_SCORES - score  # a - s
    multipliers = lagrange_multiplier(counts, deviations)
    return np.asarray(-(counts * np.log1p(multipliers[..., np.newaxis] * deviations)).sum(-1))


def lagrange_multiplier(counts: Floats, deviations: Floats) -> Floats:
    """The root t of sum(counts * deviations / (1 + t * deviations)), by bisection.

    The sum falls with t on the interval where all probabilities are positive.
    counts [..., 5], deviations [5] -> [...]
    """
    low = np.full(counts.shape[:-1], -1 / deviations[-1])
    high = np.full(counts.shape[:-1], -1 / deviations[0])
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        terms = counts * deviations / (1 + middle[..., np.newaxis] * deviations)
        too_small = terms.sum(-1) > 0
        low, high = np.where(too_small, middle, low), np.where(too_small, high, middle)
    return np.asarray((low + high) / 2)
