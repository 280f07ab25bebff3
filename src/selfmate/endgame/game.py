"""The mini-chess as tables: every position that can arise, and what follows each move.

King and queen (the agent) play against a lone king that moves at random. A *state* has the agent
to move, an *afterstate* is what its move leaves for the enemy. A game is a walk through arrays:
`afterstates[state, action]`, then `endings` says whether it is over, else one of `replies` follows.
"""

from dataclasses import dataclass, fields
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from selfmate.endgame.rules import DIRECTIONS, Rules, Squares, destinations, make_rules

SIZES = range(4, 9)
GOES_ON, MATE, DRAW = 0, 1, 2
MOST_FREEDOM = 7  # more squares than these look the same to a net

Codes = NDArray[np.int32]  # k, q, e in one number


@dataclass(frozen=True, eq=False, kw_only=True)
class Game:
    """S states, P afterstates and A actions in a fixed order. The arrays cannot be written to."""

    size: int
    pieces: Squares  # [S, 3], squares of own king, queen, enemy king
    allowed: NDArray[np.bool_]  # [S, A], at least one a state
    afterstates: NDArray[np.int32]  # [S, A], -1 where not allowed
    after_pieces: Squares  # [P, 3]
    endings: NDArray[np.int8]  # [P], GOES_ON, MATE or DRAW
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
        """What a net sees of each state: pieces, check and freedom, one-hot  # [S, 3N^2 + 10]"""
        vectors = np.zeros((self.states, self.vector_length), dtype)
        np.put_along_axis(vectors, self.features.astype(np.intp), 1, axis=1)
        return vectors


@cache
def compile_game(size: int) -> Game:
    """The game on a board of `size` rows and columns; made once and kept."""
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
    """Looks up the place of a code in `codes`; -1 for others, and for code -1 itself."""
    index = np.full(rules.squares**3 + 1, -1, np.int32)
    index[codes] = np.arange(len(codes))
    return index


def _after_codes(rules: Rules, placements: Squares) -> Codes:
    """The code of each action's afterstate, -1 where it is not allowed  # [placements, A]"""
    queen_actions = 8 * (rules.size - 1)
    codes = np.empty((len(placements), queen_actions + len(DIRECTIONS)), np.int32)
    for king in range(rules.squares):  # one by one, for the memory it saves
        rows = placements[:, 0] == king
        queens, enemies = placements[rows, 1], placements[rows, 2]
        to = destinations(rules, king, queens, enemies).astype(np.int32)
        kings_to = np.where(np.arange(to.shape[1]) < queen_actions, king, to)
        queens_to = np.where(np.arange(to.shape[1]) < queen_actions, to, queens[:, None])
        after = (kings_to * rules.squares + queens_to) * rules.squares + enemies[:, None]
        codes[rows] = np.where(to >= 0, after, -1)
    return codes


def _start_probabilities(rules: Rules) -> NDArray[np.float64]:
    """By code. Own pieces stand anywhere but on the first row and column; where the enemy king
    would have no square, they are drawn again."""
    rows, columns = np.divmod(np.arange(rules.squares), rules.size)
    inside = (rows >= 1) & (columns >= 1)
    room = rules.safe.sum(2, where=(inside[:, None] & inside)[:, :, None])  # [k, q]
    shares = rules.safe / np.maximum(room, 1)[:, :, None] * (room > 0)[:, :, None]
    starts: NDArray[np.float64] = shares / (room > 0).sum()
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
    """The code after each direction of the enemy king, -1 where it cannot go  # [after, 8]"""
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
    return np.where(stuck, stuck_ending, GOES_ON).astype(np.int8)


def _features(rules: Rules, states: Codes, pieces: Squares) -> NDArray[np.int16]:
    check = rules.attacked.ravel()[states]
    freedom = rules.free.reshape(-1, 8)[states].sum(1)
    first = rules.squares * np.array([0, 1, 2, 3, 3]) + [0, 0, 0, 0, 2]
    columns = np.stack([*pieces.T, check, np.minimum(freedom, MOST_FREEDOM)], 1, dtype=np.int16)
    return columns + first.astype(np.int16)
