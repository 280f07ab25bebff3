"""The rules of the mini-chess, for all placements of the three pieces at once.

Squares count row by row, `row * size + column`. A placement is three squares: own king `k`, queen
`q`, enemy king `e`. -1 stands for a square off the board.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))

Bools = NDArray[np.bool_]
Squares = NDArray[np.int16]


@dataclass(frozen=True, eq=False)
class Rules:
    """What pieces see on a board, by squares k, q, e and directions d."""

    size: int
    rays: Squares  # [from, d, steps - 1], the square that many steps away
    near: Bools  # [square, square], at most one step apart
    attacked: Bools  # [k, q, square] by the queen, who looks through the enemy king
    safe: Bools  # [k, q, square], where the enemy king may go
    free: Bools  # [k, q, e, d], the directions in which the enemy king can move

    @property
    def squares(self) -> int:
        return self.size**2


def make_rules(size: int) -> Rules:
    """The rules on a board of `size` rows and columns."""
    rays = _rays(size)
    rows, columns = np.divmod(np.arange(size**2), size)
    near = (abs(rows[:, None] - rows) <= 1) & (abs(columns[:, None] - columns) <= 1)
    attacked = _attacked(rays)
    safe = ~near[:, None, :] & ~attacked & ~np.eye(size**2, dtype=bool)[:, :, None]
    steps = rays[:, :, 0]
    free = safe[:, :, steps] & (steps >= 0)
    return Rules(size, rays, near, attacked, safe, free)


def _rays(size: int) -> Squares:
    rows, columns = np.divmod(np.arange(size**2)[:, None, None], size)
    steps = np.arange(1, size)
    away = np.array(DIRECTIONS)[:, :, None] * steps  # [d, row or column, steps - 1]
    rows, columns = rows + away[:, 0], columns + away[:, 1]
    on_board = (rows >= 0) & (rows < size) & (columns >= 0) & (columns < size)
    return np.where(on_board, rows * size + columns, -1).astype(np.int16)


def _attacked(rays: Squares) -> Bools:
    squares = np.arange(len(rays))
    blocked = (rays == squares[:, None, None, None]) | (rays < 0)  # [k, q, d, steps - 1]
    seen = ~np.logical_or.accumulate(blocked, axis=3)
    attacked = np.zeros((len(rays),) * 3, dtype=bool)
    k, q, d, step = np.nonzero(seen)
    attacked[k, q, rays[q, d, step]] = True
    attacked[:, squares, squares] = True  # her own square: she is never captured
    return attacked


def destinations(rules: Rules, king: int, queens: Squares, enemies: Squares) -> Squares:
    """Where each action leads the piece it moves, -1 where it is not allowed; the own king stands
    on one square, the others vary  # [placements, A]"""
    queen_to = rules.rays[queens]
    in_the_way = (queen_to == king) | (queen_to == enemies[:, None, None]) | (queen_to < 0)
    reached = ~np.logical_or.accumulate(in_the_way, axis=2)
    protected = rules.near[king, queen_to]
    queen_may = reached & (protected | ~rules.near[queen_to, enemies[:, None, None]])
    king_to = np.broadcast_to(rules.rays[king, :, 0], (len(queens), len(DIRECTIONS)))
    beside_enemy = rules.near[king_to, enemies[:, None]]
    king_may = (king_to >= 0) & (king_to != queens[:, None]) & ~beside_enemy
    by_queen = np.where(queen_may, queen_to, -1).reshape(len(queens), -1)
    return np.hstack([by_queen, np.where(king_may, king_to, -1)])
