"""How a match's score and its interval have come about, game by game."""

import numpy as np

from selfmate.arena.elo import UNIT_POINTS_A, score_interval
from selfmate.arena.match import PlayedGame

MOST_POINTS = 200
SINGLES = 5  # where units of single games begin, after those of pairs


class ScoreHistory:
    """Games in the order in which they ended."""

    def __init__(self) -> None:
        self._points: dict[int, float] = {}  # by number
        self._units = [0] * 8
        self._rows: list[tuple[int, ...]] = []  # after each game

    def add(self, game: PlayedGame) -> None:
        other = self._points.get(game.number ^ 1)
        if other is None:
            self._units[SINGLES + round(2 * game.points_of_a)] += 1
        else:
            self._units[SINGLES + round(2 * other)] -= 1
            self._units[round(2 * (other + game.points_of_a))] += 1
        self._points[game.number] = game.points_of_a
        self._rows.append(tuple(self._units))

    def points(self) -> dict[str, list[float]]:
        """Games, score and its 95 % interval; thinned, the newest always among them."""
        if not self._rows:
            return {"games": [], "score": [], "low": [], "high": []}
        many = len(self._rows)
        chosen = np.unique(np.linspace(0, many - 1, min(many, MOST_POINTS)).round().astype(int))
        counts = np.array([self._rows[i] for i in chosen], dtype=np.float64)
        low, high = score_interval(counts)
        games = chosen + 1
        score = (counts @ UNIT_POINTS_A) / games
        return {
            "games": games.tolist(),
            "score": score.round(4).tolist(),
            "low": low.round(4).tolist(),
            "high": high.round(4).tolist(),
        }
