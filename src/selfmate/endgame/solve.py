"""The exact answers: what a random agent achieves, and what perfect play can."""

import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfmate.endgame.game import GOES_ON, MATE, Game
from selfmate.endgame.gmres import balance
from selfmate.endgame.lookahead import Floats, look_ahead
from selfmate.endgame.optimal import (
    least_moves,
    mate_chances,
    move_values,
    optimal_values,
    worst_moves,
)

PARTS = 5  # how often `solve` says that it has come further


@dataclass(frozen=True, eq=False, kw_only=True)
class Solution:
    """Figures are means over the starts, as often as each occurs; arrays are by state."""

    size: int
    gamma: float
    draw_reward: float
    states: int
    random_mate_probability: float
    random_mean_moves: float
    best_mate_probability: float
    optimal_mean_moves: float  # least expected moves among policies that never draw
    worst_case_moves: int  # fewest that force mate from the worst start against best defence
    optimal_value: float  # expected discounted reward of perfect play
    value_error: float  # no Q-value is further than this from the truth
    q_values: Floats  # [S, A], -inf where not allowed
    least_moves: Floats  # [S], expected moves to mate
    worst_moves: NDArray[np.int16]  # [S], moves that force mate

    def figures(self) -> dict[str, int | float]:
        """Everything that is one number."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if np.ndim(value) == 0}


def solve(
    game: Game, gamma: float, draw_reward: float, on_part: Callable[[], None] = lambda: None
) -> Solution:
    """Solves the game; `on_part` is called after each of the `PARTS` parts."""
    values = optimal_values(game, gamma, draw_reward)
    on_part()
    random_mates, random_moves = random_agent(game)
    on_part()
    chances = mate_chances(game)
    on_part()
    forced = worst_moves(game)
    on_part()
    least = least_moves(game, enough=forced)
    on_part()
    start = game.start_probabilities
    return Solution(
        size=game.size,
        gamma=gamma,
        draw_reward=draw_reward,
        states=game.states,
        random_mate_probability=random_mates,
        random_mean_moves=random_moves,
        best_mate_probability=_mean(chances, start),
        optimal_mean_moves=_mean(least, start),
        worst_case_moves=int(forced[start > 0].max()),
        optimal_value=_mean(values.states, start),
        value_error=values.error,
        q_values=move_values(game, values.after),
        least_moves=least,
        worst_moves=forced.astype(np.int16),
    )


def _mean(values: Floats, chances: Floats) -> float:
    return float((values * chances).sum() / chances.sum())


def random_agent(game: Game) -> tuple[float, float]:
    """Mate probability and mean moves of an agent that plays any allowed move."""
    ahead = look_ahead(game)

    def left_to_enemy(visits: Floats) -> Floats:
        shares = np.repeat(visits / ahead.choice_counts, ahead.choice_counts)
        after: NDArray[Any] = np.bincount(ahead.choices, shares, len(game.endings))
        return after

    def flow(visits: Floats) -> Floats:
        shares = left_to_enemy(visits) / np.maximum(game.reply_counts, 1)
        shares = np.repeat(shares, game.reply_counts)
        states: NDArray[Any] = np.bincount(ahead.replies, shares, game.states)
        return states

    visits = balance(game.start_probabilities, flow)
    after = left_to_enemy(visits)
    ended = after[game.endings != GOES_ON].sum()
    return float(after[game.endings == MATE].sum() / ended), float(visits.sum())


def save_solution(solution: Solution, path: Path) -> None:
    """Writes arrays and figures as safetensors; the file appears whole or not at all."""
    from safetensors.numpy import save

    arrays: dict[str, NDArray[Any]] = {
        "q_values": solution.q_values,
        "least_moves": solution.least_moves,
        "worst_moves": solution.worst_moves,
    }
    figures = {name: repr(value) for name, value in solution.figures().items()}
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        unfinished.write_bytes(save(arrays, metadata=figures))
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
