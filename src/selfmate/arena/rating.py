"""Ratings on one scale in two steps: a ruler of fixed opponents, and the players it measures.

The expected score of a player against another is the logistic function of the difference of their
ratings (Bradley and Terry, Rank Analysis of Incomplete Block Designs, 1952); a draw is half a win.

1. The rungs of the ruler are fitted to the games between them. Some rungs are anchors: their rating
   is known from elsewhere with a standard error, which enters the fit as a normal prior.
2. A player is placed on the ruler by its games against rungs. It never moves a rung, so it does not
   matter who else was measured, however strange their results are.

Opponents far away carry little weight: a pairing's residual is weighted by p (1 - p), where p is
the expected score. A player that draws won games against much weaker ones is hardly rated by them.

In shapes, N is the number of rungs, M that of pairings. Variances are in nats squared.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from selfmate.arena.elo import (
    ELO_PER_NAT,
    PRIOR_VARIANCE,
    UNIT_GAMES,
    UNIT_POINTS_A,
    Z_95,
    Floats,
    Pentanomial,
    squared_residuals,
    unit_counts,
)

SCALE = "Stockfish skill scale, 100 ms a move, \N{PLUS-MINUS SIGN}100 absolute"
# The prior of everyone who is no anchor. It keeps ratings finite when a player wins every game, and
# is so weak that 1,000 Elo from its mean it pulls as much as a fiftieth of a point.
PRIOR_MEAN_ELO, PRIOR_DEVIATION_ELO = 1000.0, 3000.0
PRIOR_MEAN, PRIOR_PRECISION = (
    PRIOR_MEAN_ELO / ELO_PER_NAT,
    (ELO_PER_NAT / PRIOR_DEVIATION_ELO) ** 2,
)
TOLERANCE_NATS = 1e-6  # of the last Newton step; the error left is about its square
MAX_NEWTON_STEPS = 1000
MAX_STEP_NATS = 0.5  # changes no curvature by more than a factor e, so every step goes uphill
REWEIGHTINGS = 5
MAX_BOUND_NATS = 20.0  # from a rating to the end of its interval, 3,500 Elo
Z_MISFIT = 2.326  # chance alone makes one player in a hundred look as if one number did not fit it


@dataclass(frozen=True)
class Pairing:
    """Games between two players, in the view of `player`."""

    player: str
    opponent: str
    pairs: Pentanomial


@dataclass(frozen=True)
class Anchor:
    """A rating that is known from elsewhere."""

    elo: float
    standard_error: float


@dataclass(frozen=True, kw_only=True)
class Rating:
    """A player's Elo on the ruler, with a 95 % interval.

    A bound is None if no game sets it: a player that won every game has no upper bound. Its `elo`
    then depends on the prior.
    """

    elo: float
    low: float | None
    high: float | None
    games: int
    # The variance of its results divided by what chance explains, at least 1. Above 1 one number
    # does not fit the results, and the interval is wider for it.
    misfit: float = 1.0
    ruler_margin: float = 0.0  # half the width of the interval after infinitely many games, Elo

    def text(self) -> str:
        """The rating as it is shown to people, without the scale."""
        if self.low is not None and self.high is not None:
            return f"about {self.elo:.0f} ({self.low:.0f} to {self.high:.0f})"
        if self.low is not None:
            return f"above {self.low:.0f}"
        return f"below {self.high:.0f}" if self.high is not None else "unknown"

    def full_text(self) -> str:
        """The rating with its scale."""
        text = self.text()
        return f"{text[:-1]}; {SCALE})" if text.endswith(")") else f"{text} ({SCALE})"

    def margin_after(self, games: int) -> float | None:
        """About half the width of the interval after so many games in all; None if unknown."""
        if self.low is None or self.high is None:
            return None
        own = ((self.high - self.low) / 2) ** 2 - self.ruler_margin**2
        return math.sqrt(max(own, 0) * self.games / games + self.ruler_margin**2)


@dataclass(frozen=True)
class Ruler:
    """The rungs with their ratings, in order of appearance."""

    names: tuple[str, ...]
    nats: Floats  # [N]
    covariance: Floats  # [N, N]
    games: Floats  # [N]
    misfit: float  # as in `Rating`, of all rungs

    def elo(self, name: str) -> float:
        """Of a rung."""
        return ELO_PER_NAT * float(self.nats[self.names.index(name)])

    def rating(self, name: str) -> Rating:
        """Of a rung."""
        i = self.names.index(name)
        elo, margin = self.elo(name), _margin(self.covariance[i, i])
        return Rating(
            elo=elo,
            low=elo - margin,
            high=elo + margin,
            games=round(float(self.games[i])),
            ruler_margin=margin,
        )

    def place(self, pairings: Sequence[Pairing]) -> Rating:
        """The rating of the player of these pairings, whose opponents are all rungs."""
        placement = _Placement(self, pairings)
        nats = placement.nats
        low, high = placement.bound(nats, -MAX_BOUND_NATS), placement.bound(nats, MAX_BOUND_NATS)
        return Rating(
            elo=ELO_PER_NAT * nats,
            low=None if low is None else ELO_PER_NAT * low,
            high=None if high is None else ELO_PER_NAT * high,
            games=round(float(placement.results.games.sum())),
            misfit=placement.misfit,
            ruler_margin=placement.ruler_margin,
        )


class _Placement:
    """A player among the rungs it has played; arrays are [M]."""

    def __init__(self, ruler: Ruler, pairings: Sequence[Pairing]) -> None:
        self.results = _Results.of(pairings)
        rungs = np.array([ruler.names.index(pairing.opponent) for pairing in pairings])
        self._rungs, self._covariance = ruler.nats[rungs], ruler.covariance[np.ix_(rungs, rungs)]
        self._ratios = self.results.variance_ratios()
        self._weights = np.ones(len(rungs))
        self.nats = float(self._rungs.mean())
        for _ in range(REWEIGHTINGS):
            self.nats = self._most_likely(self.nats)
            self._weights = _weights(_logistic(self.nats - self._rungs))
        slopes = self._slopes(self.nats)
        information = float(self._weights @ slopes)
        self.misfit = self._misfit(slopes)
        self.ruler_margin = _margin(self._ruler_variance(self.nats) / information**2)

    def bound(self, start: float, offset: float) -> float | None:
        """The end of the 95 % interval between `start` and `start + offset`; None if it is beyond.

        It is where the weighted residual becomes too large for chance. This is Wilson's interval
        (1927) for several opponents: unlike the rating plus or minus z deviations it covers well
        when nearly all games are won.
        """
        inside, outside = start, start + offset
        if not self._is_refuted(outside):
            return None
        while abs(outside - inside) > TOLERANCE_NATS:
            middle = (inside + outside) / 2
            inside, outside = (inside, middle) if self._is_refuted(middle) else (middle, outside)
        return inside

    def _is_refuted(self, nats: float) -> bool:
        residual = float(self._weights @ self._residuals(nats))
        chance = self.misfit * float(self._weights**2 @ (self._ratios * self._slopes(nats)))
        return residual**2 > Z_95**2 * (chance + self._ruler_variance(nats))

    def _misfit(self, slopes: Floats) -> float:
        """How badly one number fits: chi-squared at the rating that fits best by this measure."""
        chance = self._ratios * slopes / self._weights + PRIOR_VARIANCE
        covariance = np.diag(chance) + np.outer(slopes, slopes) * self._covariance
        residuals = self._residuals(self.nats)
        columns = np.column_stack([residuals, slopes])
        residuals_scaled, slopes_scaled = np.linalg.solve(covariance, columns).T
        gain = float(slopes @ residuals_scaled) ** 2 / float(slopes @ slopes_scaled)
        return _misfit(float(residuals @ residuals_scaled) - gain, freedom=len(slopes) - 1)

    def _ruler_variance(self, nats: float) -> float:
        """Variance of the weighted residual that the ruler's error causes."""
        pulls = self._weights * self._slopes(nats)
        return float(pulls @ self._covariance @ pulls)

    def _residuals(self, nats: float) -> Floats:
        return np.asarray(self.results.points - self.results.games * _logistic(nats - self._rungs))

    def _slopes(self, nats: float) -> Floats:
        """Points per nat; also the variance of points in independent games without draws."""
        scores = _logistic(nats - self._rungs)
        return np.asarray(self.results.games * scores * (1 - scores))

    def _most_likely(self, nats: float) -> float:
        for _ in range(MAX_NEWTON_STEPS):
            gradient = float(self._weights @ self._residuals(nats))
            information = float(self._weights @ self._slopes(nats))
            step = gradient - PRIOR_PRECISION * (nats - PRIOR_MEAN)
            step /= information + PRIOR_PRECISION
            nats += min(max(step, -MAX_STEP_NATS), MAX_STEP_NATS)
            if abs(step) < TOLERANCE_NATS:
                return nats
        raise ArithmeticError(f"a rating did not settle in {MAX_NEWTON_STEPS} steps")


def fit_ruler(pairings: Sequence[Pairing], anchors: Mapping[str, Anchor]) -> Ruler:
    """The ruler of all players in the pairings.

    ValueError if no anchor has played, or no chain of games links a rung to one.
    """
    names = tuple(dict.fromkeys(n for match in pairings for n in (match.player, match.opponent)))
    sides = _sides(pairings, names)
    is_anchor = [name in anchors for name in names]
    _check_linked(names, sides, is_anchor)
    results = _Results.of(pairings)
    means, precisions = _priors(names, anchors)
    nats, weights = means, np.ones(len(pairings))
    for _ in range(REWEIGHTINGS):
        nats = _fit(results, sides, weights, means, precisions)
        scores = _logistic(sides @ nats)  # [M]
        weights = _weights(scores)
    slopes = results.games * scores * (1 - scores)
    variance = results.variance_ratios() * slopes
    residuals = results.points - results.games * scores
    # The priors of anchors are residuals, too; the weak ones of the others add next to nothing.
    chi_squared = float(residuals**2 @ (1 / (variance / weights + PRIOR_VARIANCE)))
    chi_squared += float((nats - means) ** 2 @ precisions)
    misfit = _misfit(chi_squared, freedom=len(pairings) - is_anchor.count(False))
    # The sandwich estimator (Huber, 1967): the bread is the inverse of the model's information, the
    # filling the variance that pairs really showed. Priors are part of both, as if they were data.
    bread = np.linalg.inv(_laplacian(sides, weights * slopes) + np.diag(precisions))
    filling = misfit * _laplacian(sides, weights**2 * variance) + np.diag(precisions)
    games = np.abs(sides).T @ results.games
    return Ruler(names, nats, bread @ filling @ bread, games, misfit)


@dataclass(frozen=True)
class _Results:
    counts: Floats  # [M, 8] units, in the player's view

    @classmethod
    def of(cls, pairings: Sequence[Pairing]) -> "_Results":
        return cls(np.array([unit_counts(pairing.pairs) for pairing in pairings]))

    @property
    def games(self) -> Floats:
        """[M]"""
        return np.asarray(self.counts @ UNIT_GAMES)

    @property
    def points(self) -> Floats:
        """[M] of the player of each pairing."""
        return np.asarray(self.counts @ UNIT_POINTS_A)

    def variance_ratios(self) -> Floats:
        """[M] Variance of each pairing's points relative to independent games without draws.

        Draws and pairing reduce it. A pairing of few games, or of wins only, shows too little
        variance: so its ratio is shrunk towards that of all pairings, by the weight of one game.
        """
        units, own_scores = self.counts.sum(axis=1), self.points / self.games
        observed = squared_residuals(self.counts, own_scores) * units / np.maximum(units - 1, 1)
        decisive = self.games * own_scores * (1 - own_scores)
        ratio_of_all = (observed.sum() + PRIOR_VARIANCE) / (decisive.sum() + PRIOR_VARIANCE)
        ratios = (observed + ratio_of_all * PRIOR_VARIANCE) / (decisive + PRIOR_VARIANCE)
        return np.asarray(ratios)


def _fit(
    results: _Results, sides: Floats, weights: Floats, means: Floats, precisions: Floats
) -> Floats:
    """The most likely ratings of the rungs, [N], by Newton's method; weights [M]."""
    nats = means.copy()
    for _ in range(MAX_NEWTON_STEPS):
        scores = _logistic(sides @ nats)
        residuals = weights * (results.points - results.games * scores)
        gradient = sides.T @ residuals - precisions * (nats - means)
        slopes = weights * results.games * scores * (1 - scores)
        step = np.linalg.solve(_laplacian(sides, slopes) + np.diag(precisions), gradient)
        step /= max(1.0, float(np.abs(step).max()) / MAX_STEP_NATS)
        nats += step
        if np.abs(step).max() < TOLERANCE_NATS:
            return nats
    raise ArithmeticError(f"ratings did not settle in {MAX_NEWTON_STEPS} steps")


def _misfit(chi_squared: float, freedom: int) -> float:
    """Chi-squared per degree of freedom; 1 if chance explains it, or it cannot be told."""
    if freedom < 1:
        return 1.0
    # The 99 % quantile of chi-squared / freedom (Wilson and Hilferty, 1931).
    third = 2 / (9 * freedom)
    ratio = chi_squared / freedom
    return ratio if ratio > (1 - third + Z_MISFIT * math.sqrt(third)) ** 3 else 1.0


def _weights(scores: Floats) -> Floats:
    """Of pairings with these expected scores, 1 for the nearest; all [M].

    A test of the fit takes 1 / weight as a factor of the variance: far away the model says less.
    """
    closeness = scores * (1 - scores)
    return np.asarray(closeness / closeness.max())


def _sides(pairings: Sequence[Pairing], names: Sequence[str]) -> Floats:
    """[M, N] 1 at the player and -1 at the opponent of each pairing."""
    sides = np.zeros((len(pairings), len(names)))
    for row, pairing in enumerate(pairings):
        if pairing.player == pairing.opponent:
            raise ValueError(f"player {pairing.player!r} is paired with itself; it must be another")
        sides[row, names.index(pairing.player)] = 1
        sides[row, names.index(pairing.opponent)] = -1
    return sides


def _check_linked(names: Sequence[str], sides: Floats, is_anchor: Sequence[bool]) -> None:
    if not any(is_anchor):
        known = ", ".join(names) or "nobody"
        raise ValueError(f"no anchor has played; there are: {known}")
    linked, met = np.array(is_anchor), np.abs(sides).T @ np.abs(sides) > 0
    for _ in names:
        linked = linked | met @ linked
    if not linked.all():
        outside = ", ".join(np.array(names)[~linked])
        raise ValueError(f"no games lead from an anchor to: {outside}; everyone must be linked")


def _priors(names: Sequence[str], anchors: Mapping[str, Anchor]) -> tuple[Floats, Floats]:
    """Means and precisions, [N] each."""
    weak = Anchor(PRIOR_MEAN_ELO, PRIOR_DEVIATION_ELO)
    priors = [anchors.get(name, weak) for name in names]
    means = np.array([prior.elo for prior in priors]) / ELO_PER_NAT
    return means, np.array([(ELO_PER_NAT / prior.standard_error) ** 2 for prior in priors])


def _logistic(nats: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-nats)))


def _laplacian(sides: Floats, weights: Floats) -> Floats:
    """The weighted Laplacian [N, N] of the graph of pairings with weights [M]."""
    return np.asarray(sides.T @ (weights[:, np.newaxis] * sides))


def _margin(variance: float) -> float:
    """Half the width of a 95 % interval in Elo."""
    return Z_95 * ELO_PER_NAT * math.sqrt(variance)
