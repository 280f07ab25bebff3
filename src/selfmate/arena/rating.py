"""One scale for many players: Bradley and Terry's model fitted to all their games.

A player's chance against another depends on the difference of their ratings alone; a draw counts as
half a win. The likelihood is penalised by a weak normal prior around the pool's mean, which keeps
ratings finite when somebody wins every game.
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
    squared_surprises,
    unit_counts,
)

# So wide that at 800 Elo from the mean it weighs as much as a seventh of one game's point.
PRIOR_DEVIATION_ELO = 1000.0
PRIOR_PRECISION = (ELO_PER_NAT / PRIOR_DEVIATION_ELO) ** 2
TOLERANCE_NATS = 1e-6  # of the last step; what remains is about its square
MAX_NEWTON_STEPS = 1000


@dataclass(frozen=True)
class Pairing:
    """All that two players have played against each other, from the side of `player`."""

    player: str
    opponent: str
    pairs: Pentanomial
    unpaired: Wdl = NO_GAMES


@dataclass(frozen=True, kw_only=True)
class Rating:
    """A player's strength on the anchors' scale, with a 95 % interval.

    A bound is None where the games set none: no upper bound for who was never held, even through
    others, by an anchor. Then `elo` leans on the prior.
    """

    elo: float
    low: float | None
    high: float | None
    games: int


@dataclass(frozen=True)
class _Pool:
    players: list[str]
    sides: Floats  # [M, N] 1 at the player and -1 at the opponent of each pairing
    counts: Floats  # [M, 8] units, from the player's side

    @property
    def games(self) -> Floats:  # [M]
        return np.asarray(self.counts @ UNIT_GAMES)

    @property
    def points(self) -> Floats:  # [M]
        return np.asarray(self.counts @ UNIT_POINTS_A)


def fit_ratings(pairings: Sequence[Pairing], anchors: Mapping[str, float]) -> dict[str, Rating]:
    """Ratings of everyone in the pairings, in order of appearance.

    One anchor is put exactly at its known Elo; several are met as well as one shift can, by least
    squares. Intervals are those of the difference to the anchors' mean. ValueError when an anchor
    has not played, or somebody's games do not lead to the anchors.
    """
    pool = _make_pool(pairings)
    weights = _anchor_weights(pool, anchors)
    _check_connected(pool, weights)
    strengths = _fit_strengths(pool)
    to_anchors = np.eye(len(pool.players)) - weights  # [N, N] rows: own strength less the anchors'
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
    """What each player counts in the mean of the anchors, [N]."""
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
    """[N, N] whether the row's player ever took points from the column's."""
    player, opponent = pool.sides > 0, pool.sides < 0  # [M, N]
    won, lost = pool.points > 0, pool.points < pool.games  # [M]
    took = player[won].T.astype(int) @ opponent[won] + opponent[lost].T.astype(int) @ player[lost]
    return np.asarray(took > 0)


def _reachable(steps: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """[N, N] whether steps, or none, lead from row to column."""
    reach = steps | np.eye(len(steps), dtype=bool)
    for _ in range(len(steps).bit_length()):
        reach = reach.astype(int) @ reach > 0
    return reach


def _fit_strengths(pool: _Pool) -> Floats:
    """The likeliest ratings in nats, [N], by Newton's method; their mean is 0."""
    strengths = np.zeros(len(pool.players))
    for _ in range(MAX_NEWTON_STEPS):
        surprise = pool.points - pool.games * _scores(pool, strengths)
        gradient = pool.sides.T @ surprise - PRIOR_PRECISION * strengths
        step = np.linalg.solve(_information(pool, strengths), gradient)
        # Half a nat each changes no curvature by more than e, which keeps the step uphill.
        step /= max(1.0, 2 * float(np.abs(step).max()))
        strengths += step
        if np.abs(step).max() < TOLERANCE_NATS:
            return strengths
    raise ArithmeticError(f"ratings did not settle in {MAX_NEWTON_STEPS} steps")


def _scores(pool: _Pool, strengths: Floats) -> Floats:
    """Expected score of each pairing's player, [M]."""
    return np.asarray(1 / (1 + np.exp(-pool.sides @ strengths)))


def _decisive_variance(pool: _Pool, strengths: Floats) -> Floats:
    """Variance of each pairing's points if games were independent and never drawn, [M]."""
    scores = _scores(pool, strengths)
    return np.asarray(pool.games * scores * (1 - scores))


def _information(pool: _Pool, strengths: Floats) -> Floats:
    """Curvature of the penalised log-likelihood, [N, N]."""
    prior = PRIOR_PRECISION * np.eye(len(pool.players))
    return _laplacian(pool, _decisive_variance(pool, strengths)) + prior


def _laplacian(pool: _Pool, weights: Floats) -> Floats:
    """Weights [M] of pairings as a matrix [N, N] over players."""
    return np.asarray(pool.sides.T @ (weights[:, np.newaxis] * pool.sides))


def _covariance(pool: _Pool, strengths: Floats) -> Floats:
    """The sandwich [N, N]: the model's curvature around the spread that pairs really showed.

    The prior stands in both as if it were data.
    """
    bread = np.linalg.inv(_information(pool, strengths))
    prior = PRIOR_PRECISION * np.eye(len(pool.players))
    return np.asarray(bread @ (_laplacian(pool, _points_variance(pool, strengths)) + prior) @ bread)


def _points_variance(pool: _Pool, strengths: Floats) -> Floats:
    """Variance of each pairing's points as observed over its units, [M].

    The ratio to independent decisive games is drawn towards the whole pool's by one imagined game,
    as a match of few games, or won throughout, shows too little of its spread.
    """
    units = pool.counts.sum()
    fitted = len(pool.players) - 1
    surprises = squared_surprises(pool.counts, _scores(pool, strengths))
    observed = surprises * units / max(units - fitted, 1)
    decisive = _decisive_variance(pool, strengths)
    pool_ratio = (observed.sum() + PRIOR_VARIANCE) / (decisive.sum() + PRIOR_VARIANCE)
    ratios = (observed + pool_ratio * PRIOR_VARIANCE) / (decisive + PRIOR_VARIANCE)
    return np.asarray(ratios * decisive)


def _collect(pool: _Pool, weights: Floats, elos: Floats, margins: Floats) -> dict[str, Rating]:
    reach = _reachable(_took_points(pool))
    # A player is bounded above when each anchor took points from it, or from others who did.
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
