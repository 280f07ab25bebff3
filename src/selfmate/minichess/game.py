"""The mini-chess as tables: every position that can arise, what follows each move, and the names of
squares and moves.

The agent has king and queen, the enemy a lone king that moves at random. A *state* has the agent to
move, an *afterstate* the enemy.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))

Bools = NDArray[np.bool_]
Squares = NDArray[np.int16]


@dataclass(frozen=True, eq=False)
class Rules:
    """What the pieces see on a board, indexed by squares k, q, e and directions d."""

    size: int
    rays: Squares  # [from, d, steps - 1], the square so many steps away
    near: Bools  # [square, square], at most one step apart
    attacked: Bools  # [k, q, square], by the queen, whose lines pass through the enemy king
    safe: Bools  # [k, q, square], squares that the enemy king may enter
    free: Bools  # [k, q, e, d], directions in which the enemy king can move

    @property
    def squares(self) -> int:
        return self.size**2


def make_rules(size: int) -> Rules:
    """The tables for a board of `size` rows and columns."""
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
    attacked[:, squares, squares] = True  # its own square: the queen is never captured
    return attacked


def destinations(rules: Rules, king: int, queens: Squares, enemies: Squares) -> Squares:
    """[placements, A] The square to which each action moves its piece, -1 where it is not allowed.

    All placements share the own king's square."""
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


SIZES = range(4, 9)
ONGOING, MATE, DRAW = 0, 1, 2
MAX_FREEDOM = 7  # the state vector does not tell more squares of the enemy king apart

Codes = NDArray[np.int32]  # the squares k, q, e in one number


@dataclass(frozen=True, eq=False, kw_only=True)
class Game:
    """S states, P afterstates and A actions in a fixed order. The arrays are read-only."""

    size: int
    pieces: Squares  # [S, 3], squares of own king, queen, enemy king
    allowed: NDArray[np.bool_]  # [S, A], at least one per state
    afterstates: NDArray[np.int32]  # [S, A], -1 where not allowed
    after_pieces: Squares  # [P, 3]
    endings: NDArray[np.int8]  # [P], ONGOING, MATE or DRAW
    reply_counts: NDArray[np.int8]  # [P]
    replies: NDArray[np.int32]  # [P, 8], states; padded with the first, or 0 if there is none
    start_probabilities: NDArray[np.float64]  # [S]
    features: NDArray[np.int16]  # [S, 5], the columns of the state vector that are one

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    @property
    def states(self) -> int:
        return len(self.pieces)

    @property
    def actions(self) -> int:
        return 8 * (self.size - 1) + 8

    @property
    def vector_length(self) -> int:
        return 3 * self.size**2 + 10

    def vectors(self, dtype: DTypeLike = np.float32) -> NDArray[Any]:
        """[S, 3 size^2 + 10] Inputs of a net: pieces, check and freedom of each state, one-hot."""
        vectors = np.zeros((self.states, self.vector_length), dtype)
        np.put_along_axis(vectors, self.features.astype(np.intp), 1, axis=1)
        return vectors


@cache
def compile_game(size: int) -> Game:
    """The game on a board of `size` rows and columns; computed once per size."""
    if size not in SIZES:
        raise ValueError(f"no board of size {size}: allowed are {SIZES[0]} to {SIZES[-1]}")
    rules = make_rules(size)
    placements = np.argwhere(rules.safe).astype(np.int16)
    after_codes = _after_codes(rules, placements)
    starts = _start_probabilities(rules)
    states = _reachable(rules, placements, after_codes, starts)
    after_codes = after_codes[np.isin(_codes(rules, placements), states)]
    allowed = after_codes >= 0
    after = np.unique(after_codes[allowed])
    pieces = _pieces(rules, states)
    return Game(
        size=size,
        pieces=pieces,
        allowed=allowed,
        afterstates=_index_of(rules, after)[after_codes],
        after_pieces=_pieces(rules, after),
        endings=_endings(rules, after),
        reply_counts=rules.free.reshape(-1, 8)[after].sum(1, dtype=np.int8),
        replies=_replies(rules, after, _index_of(rules, states)),
        start_probabilities=starts[states],
        features=_features(rules, states, pieces),
    )


def _codes(rules: Rules, pieces: Squares) -> Codes:
    k, q, e = pieces.T.astype(np.int32)
    codes: Codes = (k * rules.squares + q) * rules.squares + e
    return codes


def _pieces(rules: Rules, codes: Codes) -> Squares:
    return np.stack(np.unravel_index(codes, (rules.squares,) * 3), 1).astype(np.int16)


def _index_of(rules: Rules, codes: Codes) -> Codes:
    """The index of each possible code in `codes`; -1 for all others, and for the code -1 itself."""
    index = np.full(rules.squares**3 + 1, -1, np.int32)
    index[codes] = np.arange(len(codes))
    return index


def _after_codes(rules: Rules, placements: Squares) -> Codes:
    """[placements, A] The code of each action's afterstate, -1 where it is not allowed."""
    queen_actions = 8 * (rules.size - 1)
    codes = np.empty((len(placements), queen_actions + len(DIRECTIONS)), np.int32)
    for king in range(rules.squares):  # one by one, to save memory
        rows = placements[:, 0] == king
        queens, enemies = placements[rows, 1], placements[rows, 2]
        to = destinations(rules, king, queens, enemies).astype(np.int32)
        kings_to = np.where(np.arange(to.shape[1]) < queen_actions, king, to)
        queens_to = np.where(np.arange(to.shape[1]) < queen_actions, to, queens[:, None])
        after = (kings_to * rules.squares + queens_to) * rules.squares + enemies[:, None]
        codes[rows] = np.where(to >= 0, after, -1)
    return codes


def _start_probabilities(rules: Rules) -> NDArray[np.float64]:
    """By code. Own pieces are drawn outside the first row and column, and drawn again if they leave
    the enemy king no square; the enemy king is then drawn from its safe squares."""
    rows, columns = np.divmod(np.arange(rules.squares), rules.size)
    inside = (rows >= 1) & (columns >= 1)
    safe_squares = rules.safe.sum(2, where=(inside[:, None] & inside)[:, :, None])  # [k, q]
    enemy = rules.safe / np.maximum(safe_squares, 1)[:, :, None] * (safe_squares > 0)[:, :, None]
    starts: NDArray[np.float64] = enemy / (safe_squares > 0).sum()
    return starts.ravel()


def _reachable(
    rules: Rules, placements: Squares, after_codes: Codes, starts: NDArray[np.float64]
) -> Codes:
    """The codes of all states that can arise from a start."""
    row_of = _index_of(rules, _codes(rules, placements))
    reached = starts > 0
    new = np.flatnonzero(reached)
    while len(new):
        after = np.unique(after_codes[row_of[new]])
        replies = _reply_codes(rules, after[after >= 0])
        new = np.unique(replies[replies >= 0])
        new = new[~reached[new]]
        reached[new] = True
    return np.flatnonzero(reached).astype(np.int32)


def _reply_codes(rules: Rules, after: Codes) -> Codes:
    """[after, 8] The code after each direction of the enemy king, -1 where it cannot move."""
    enemies = after % rules.squares
    to = rules.rays[enemies, :, 0]
    return np.where(rules.free.reshape(-1, 8)[after], (after - enemies)[:, None] + to, -1)


def _replies(rules: Rules, after: Codes, state_of: Codes) -> NDArray[np.int32]:
    replies = state_of[_reply_codes(rules, after)]
    order = np.argsort(replies < 0, axis=1, kind="stable")
    replies = np.take_along_axis(replies, order, axis=1)
    return np.where(replies < 0, np.maximum(replies[:, :1], 0), replies)


def _endings(rules: Rules, after: Codes) -> NDArray[np.int8]:
    stuck = ~rules.free.reshape(-1, 8)[after].any(1)
    stuck_ending = np.where(rules.attacked.ravel()[after], MATE, DRAW)
    return np.where(stuck, stuck_ending, ONGOING).astype(np.int8)


def _features(rules: Rules, states: Codes, pieces: Squares) -> NDArray[np.int16]:
    check = rules.attacked.ravel()[states]
    freedom = rules.free.reshape(-1, 8)[states].sum(1)
    first = rules.squares * np.array([0, 1, 2, 3, 3]) + [0, 0, 0, 0, 2]
    columns = np.stack([*pieces.T, check, np.minimum(freedom, MAX_FREEDOM)], 1, dtype=np.int16)
    return columns + first.astype(np.int16)


# Notation: columns are the files a, b, ..., rows the ranks 1, 2, ... with row 0 at the bottom.

DIRECTION_NAMES = (
    "up", "down", "right", "left", "up-right", "up-left", "down-right", "down-left",
)  # fmt: skip
LETTERS = "KQk"  # own king, queen, enemy king


def square_name(size: int, square: int) -> str:
    """`c2` for row 1, column 2."""
    row, column = divmod(square, size)
    return f"{'abcdefgh'[column]}{row + 1}"


def action_name(size: int, action: int) -> str:
    """`Q up-right 2` or `K left`."""
    if action >= 8 * (size - 1):
        return f"K {DIRECTION_NAMES[action - 8 * (size - 1)]}"
    direction, steps = divmod(action, size - 1)
    return f"Q {DIRECTION_NAMES[direction]} {steps + 1}"


def move_name(game: Game, state: int, action: int) -> str:
    """The piece and its destination, as `Qb3`; unique among the allowed moves of a state."""
    is_king = action >= 8 * (game.size - 1)
    direction, steps = (
        (action - 8 * (game.size - 1), 0) if is_king else divmod(action, game.size - 1)
    )
    rows, columns = DIRECTIONS[direction]
    square = int(game.pieces[state, 0 if is_king else 1])
    to = square + (rows * game.size + columns) * (steps + 1)
    return f"{'K' if is_king else 'Q'}{square_name(game.size, to)}"


def placement(size: int, pieces: Sequence[int]) -> str:
    """`k3/4/1KQ1/4`: like the first field of a FEN, on a board of `size`."""
    board = ["1"] * size**2
    for letter, square in zip(LETTERS, pieces, strict=True):
        board[square] = letter
    ranks = ["".join(board[row * size : (row + 1) * size]) for row in reversed(range(size))]
    return re.sub("1+", lambda empty: str(len(empty[0])), "/".join(ranks))


def draw_position(size: int, pieces: Sequence[int]) -> str:
    """Lines from the highest rank down, `K` and `Q` against `k`, empty squares as dots."""
    board = ["."] * size**2
    for letter, square in zip(LETTERS, pieces, strict=True):
        board[square] = letter
    ranks = [board[row * size : (row + 1) * size] for row in range(size)]
    lines = [f"{row + 1} {' '.join(rank)}" for row, rank in enumerate(ranks)]
    return "\n".join([*reversed(lines), f"  {' '.join('abcdefgh'[:size])}"])
