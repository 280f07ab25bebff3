"""Exact evaluation of a policy: from every start, weighted by its probability."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from selfmate.minichess.game import DRAW, MATE, ONGOING, Game
from selfmate.minichess.markov import Chain
from selfmate.minichess.solver import TIE, Floats, optimal_values

Bools = NDArray[np.bool_]
Afterstates = NDArray[np.int32]


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """How the games of a deterministic policy end."""

    mate_percent: float
    draw_percent: float
    never_ending_percent: float
    mean_moves: float | None  # None if some games never end
    optimal_move_percent: float  # share of optimal moves among the states that its games reach
    regret: float  # expected discounted reward of perfect play minus that of the policy


def evaluate_policy(
    game: Game, actions: NDArray[np.integer], *, gamma: float = 0.85, draw_reward: float = -1.0
) -> Evaluation:
    """Evaluates the policy that plays `actions[state]`; no games are sampled."""
    best = optimal_values(game, gamma, draw_reward)
    after = _afterstates(game, actions)  # [S]
    visited, can_end = _visited(game, after), _can_end(game, after)
    ending, endless = np.flatnonzero(visited & can_end), visited & ~can_end
    chain = _chain(game, after, ending)
    visits = chain.visits()
    mate, draw = _endings(game, after[ending], visits)
    never = float(chain.arrivals(visits)[-1] + game.start_probabilities[endless].sum())
    percent = 100 / (mate + draw + never)  # the sum is 1 but for rounding
    mate_now, draw_now = _endings(game, after[ending], chain.visits(gamma))
    value = mate_now + draw_reward * draw_now
    is_best = best.after[after] >= best.states - TIE
    return Evaluation(
        mate_percent=percent * mate,
        draw_percent=percent * draw,
        never_ending_percent=percent * never,
        mean_moves=None if endless.any() else float(visits.sum()),
        optimal_move_percent=100 * float(is_best[visited].mean()),
        regret=max(0.0, float(game.start_probabilities @ best.states) - value),
    )


def _afterstates(game: Game, actions: NDArray[np.integer]) -> Afterstates:
    if actions.shape != (game.states,) or actions.dtype.kind not in "iu":
        raise ValueError(f"a policy is {game.states} whole numbers, an action for each state")
    if not ((actions >= 0) & (actions < game.actions)).all():
        raise ValueError(f"actions are from 0 to {game.actions - 1}")
    after: Afterstates = game.afterstates[np.arange(game.states), actions]
    if (after < 0).any():
        state = int(np.argmax(after < 0))
        raise ValueError(f"action {actions[state]} is not allowed in state {state}")
    return after


def _visited(game: Game, after: Afterstates) -> Bools:
    """The states that games reach."""
    visited = game.start_probabilities > 0
    new = np.flatnonzero(visited)
    while len(new):
        reached = after[new]
        reached = reached[game.endings[reached] == ONGOING]
        new = np.unique(game.replies[reached])
        new = new[~visited[new]]
        visited[new] = True
    return visited


def _can_end(game: Game, after: Afterstates) -> Bools:
    """The states from which some ending can be reached; from the others games never end."""
    can_end: Bools = game.endings[after] != ONGOING
    rest = np.flatnonzero(~can_end)
    while True:
        now = can_end[game.replies[after[rest]]].any(1)
        if not now.any():
            return can_end
        can_end[rest[now]] = True
        rest = rest[~now]


def _chain(game: Game, after: Afterstates, states: NDArray[np.intp]) -> Chain:
    """The Markov chain among `states`."""
    places = np.full(game.states, len(states))
    places[states] = np.arange(len(states))
    reached = after[states]
    counts = game.reply_counts[reached]
    real = np.arange(8) < counts[:, None]
    return Chain(
        start=game.start_probabilities[states],
        offsets=np.append(0, np.cumsum(counts, dtype=np.int64)),
        successors=places[game.replies[reached][real]],
    )


def _endings(game: Game, after: Afterstates, visits: Floats) -> tuple[float, float]:
    """The visits that end in mate and in a draw; exactly 0 where none can."""
    endings = game.endings[after]
    return float(visits[endings == MATE].sum()), float(visits[endings == DRAW].sum())
