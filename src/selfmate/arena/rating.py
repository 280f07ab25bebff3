"""Ratings of many players on one scale: the Bradley-Terry model fitted to all their games.

The expected score of a player against another is the logistic function of the difference of their
ratings (Bradley and Terry, Rank Analysis of Incomplete Block Designs, 1952); a draw counts as half
a win. A weak normal prior around the pool's mean penalises the likelihood, which keeps ratings
finite when a player wins every game. In shapes, N is the number of players, M that of pairings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from selfmate.arena.elo import (
    ELO_PER_NAT,
    NO_GAMES,
    PRIOR_VARIANCE,
    UNIT_GAMES,
    UNIT_POINTS_A,
    Z_95,
    Floats,
    Pentanomial,
    Wdl,
    squared_residuals,
    unit_counts,
)

# So weak that 800 Elo from the mean it pulls as much as a seventh of a point.
PRIOR_DEVIATION_ELO = 1000.0
PRIOR_PRECISION = (ELO_PER_NAT / PRIOR_DEVIATION_ELO) ** 2
TOLERANCE_NATS = 1e-6  # of the last Newton step; the error left is about its square
MAX_NEWTON_STEPS = 1000


@dataclass(frozen=True)
class Pairing:
    """Games between two players, in the view of `player`."""

    player: str
    opponent: str
    pairs: Pentanomial
    unpaired: Wdl = NO_GAMES


@dataclass(frozen=True, kw_only=True)
class Rating:
    """A player's Elo on the anchors' scale with a 95 % interval.

    A bound is None if no game sets it: a player has no upper bound if no anchor ever took a point
    from it, not even through a chain of other players. Its `elo` then depends on the prior.
    """

    elo: float
    low: float | None
    high: float | None
    games: int


@dataclass(frozen=True)
class _Pool:
    """All pairings as arrays."""

    players: list[str]  # N names
    sides: Floats  # [M, N] 1 at the player and -1 at the opponent of each pairing
    counts: Floats  # [M, 8] units, in the player's view

    @property
    def games(self) -> Floats:
        """[M]"""
        return np.asarray(self.counts @ UNIT_GAMES)

    @property
    def points(self) -> Floats:
        """[M] of the player of each pairing."""
        return np.asarray(self.counts @ UNIT_POINTS_A)


def fit_ratings(pairings: Sequence[Pairing], anchors: Mapping[str, float]) -> dict[str, Rating]:
    """Ratings of all players in the pairings, in order of appearance.

    `anchors` are players of known Elo. One anchor gets exactly its Elo; with several, the scale is
    shifted to meet them by least squares. An interval is that of the difference to the anchors'
    mean. ValueError if an anchor has not played, or no chain of games links a player to them.
    """
    pool = _make_pool(pairings)
    weights = _anchor_weights(pool, anchors)
    _check_connected(pool, weights)
    strengths = _fit_strengths(pool)
    to_anchors = np.eye(len(pool.players)) - weights  # [N, N] own strength minus the anchors' mean
    covariance = to_anchors @ _covariance(pool, strengths) @ to_anchors.T
    elos = ELO_PER_NAT * (to_anchors @ strengths) + sum(anchors.values()) / len(anchors)
    margins = Z_95 * ELO_PER_NAT * np.sqrt(np.diag(covariance))
    return _collect(pool, weights, elos, margins)


def _make_pool(pairings: Sequence[Pairing]) -> _Pool:
    names = [name for pairing in pairings for name in (pairing.player, pairing.opponent)]
    players = list(dict.fromkeys(names))
    sides = np.zeros((len(pairings), len(players)))
    for row, pairing in enumerate(pairings):
        if pairing.player == pairing.opponent:
            raise ValueError(f"player {pairing.player!r} is paired with itself; it must be another")
        sides[row, players.index(pairing.player)] = 1
        sides[row, players.index(pairing.opponent)] = -1
    counts = [unit_counts(pairing.pairs, pairing.unpaired) for pairing in pairings]
    return _Pool(players, sides, np.array(counts).reshape(-1, len(UNIT_GAMES)))


def _anchor_weights(pool: _Pool, anchors: Mapping[str, float]) -> Floats:
    """The weight of each player in the anchors' mean, [N]."""
    if not anchors:
        raise ValueError("no anchor: at least one player's rating must be known")
    for name in anchors:
        if name not in pool.players:
            known = ", ".join(pool.players) or "nobody"
            raise ValueError(f"anchor {name!r} has not played; there are: {known}")
    return np.array([(name in anchors) / len(anchors) for name in pool.players])


def _check_connected(pool: _Pool, weights: Floats) -> None:
    took = _took_points(pool)
    outside = ~np.all(_reachable(took | took.T)[weights > 0], axis=0)
    if outside.any():
        names = ", ".join(np.array(pool.players)[outside])
        raise ValueError(f"no games lead from the anchors to: {names}; everyone must be linked")


def _took_points(pool: _Pool) -> NDArray[np.bool_]:
    """[N, N] Whether the row's player ever took points from the column's."""
    player, opponent = pool.sides > 0, pool.sides < 0  # [M, N]
    won, lost = pool.points > 0, pool.points < pool.games  # [M]
    took = player[won].T.astype(int) @ opponent[won] + opponent[lost].T.astype(int) @ player[lost]
    return np.asarray(took > 0)


def _reachable(steps: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """[N, N] Whether a chain of steps, or none, leads from row to column."""
    reach = steps | np.eye(len(steps), dtype=bool)
    for _ in range(len(steps).bit_length()):
        reach = reach.astype(int) @ reach > 0
    return reach


def _fit_strengths(pool: _Pool) -> Floats:
    """The most likely ratings in nats, [N], by Newton's method; their mean is 0."""
    strengths = np.zeros(len(pool.players))
    for _ in range(MAX_NEWTON_STEPS):
        residuals = pool.points - pool.games * _scores(pool, strengths)  # [M]
        gradient = pool.sides.T @ residuals - PRIOR_PRECISION * strengths  # [N]
        step = np.linalg.solve(_information(pool, strengths), gradient)
        # Steps of at most half a nat change no curvature by more than a factor e, so every step
        # goes uphill.
        step /= max(1.0, 2 * float(np.abs(step).max()))
        strengths += step
        if np.abs(step).max() < TOLERANCE_NATS:
            return strengths
    raise ArithmeticError(f"ratings did not settle in {MAX_NEWTON_STEPS} steps")


def _scores(pool: _Pool, strengths: Floats) -> Floats:
    """Expected score of each pairing's player, [M]."""
    return np.asarray(1 / (1 + np.exp(-pool.sides @ strengths)))


def _decisive_variance(pool: _Pool, strengths: Floats) -> Floats:
    """Variance of each pairing's points for independent games without draws, [M]."""
    scores = _scores(pool, strengths)
    return np.asarray(pool.games * scores * (1 - scores))


def _information(pool: _Pool, strengths: Floats) -> Floats:
    """Minus the Hessian of the penalised log-likelihood, [N, N]."""
    prior = PRIOR_PRECISION * np.eye(len(pool.players))
    return _laplacian(pool, _decisive_variance(pool, strengths)) + prior


def _laplacian(pool: _Pool, weights: Floats) -> Floats:
    """The weighted Laplacian [N, N] of the graph of pairings with weights [M]."""
    return np.asarray(pool.sides.T @ (weights[:, np.newaxis] * pool.sides))


def _covariance(pool: _Pool, strengths: Floats) -> Floats:
    """Covariance [N, N] of the strengths by the sandwich estimator (Huber, 1967).

    The bread is the inverse of the model's information, the filling the variance that pairs really
    showed. The prior is part of both, as if it were data.
    """
    bread = np.linalg.inv(_information(pool, strengths))
    prior = PRIOR_PRECISION * np.eye(len(pool.players))
    return np.asarray(bread @ (_laplacian(pool, _points_variance(pool, strengths)) + prior) @ bread)


def _points_variance(pool: _Pool, strengths: Floats) -> Floats:
    """Variance of each pairing's points as its units show it, [M].

    A pairing of few games, or of wins only, shows too little variance. So its ratio to independent
    decisive games is shrunk towards the whole pool's ratio, by the weight of one game.
    """
    units = pool.counts.sum()
    parameters = len(pool.players) - 1
    residuals = squared_residuals(pool.counts, _scores(pool, strengths))
    observed = residuals * units / max(units - parameters, 1)
    decisive = _decisive_variance(pool, strengths)
    pool_ratio = (observed.sum() + PRIOR_VARIANCE) / (decisive.sum() + PRIOR_VARIANCE)
    ratios = (observed + pool_ratio * PRIOR_VARIANCE) / (decisive + PRIOR_VARIANCE)
    return np.asarray(ratios * decisive)


def _collect(pool: _Pool, weights: Floats, elos: Floats, margins: Floats) -> dict[str, Rating]:
    reach = _reachable(_took_points(pool))
    # A player is bounded above if each anchor took points from it, or from players that did.
    bounded_above: NDArray[np.bool_] = np.all(reach[weights > 0], axis=0)
    bounded_below: NDArray[np.bool_] = np.all(reach[:, weights > 0], axis=1)
    games = np.abs(pool.sides).T @ pool.games
    return {
        name: Rating(
            elo=float(elos[i]),
            low=float(elos[i] - margins[i]) if bounded_below[i] else None,
            high=float(elos[i] + margins[i]) if bounded_above[i] else None,
            games=round(float(games[i])),
        )
        for i, name in enumerate(pool.players)
    }
