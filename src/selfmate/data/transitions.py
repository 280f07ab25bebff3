"""Transitions: what a Q-learner learns from. Episodes are games as they were played, a ring of flat
arrays holds the newest of them, and transitions are gathered from the ring with their returns.

The target of a transition is returns + discounts * (value of next_states for their mover), with
either backup: the sign is in the discount.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from selfmate.encodings import ACTION_ENCODINGS
from selfmate.encodings.features import PACKED_BYTES
from selfmate.rules import Ragged
from selfmate.runs import Shard

Rows = NDArray[np.int64]
ACTIONS = ACTION_ENCODINGS["from_to4096"].size
NO_ACTION = -1
UNRANKED = 255  # the rank of an action that the teacher was not asked about

# Arrays with one entry per row: type, and shape of an entry.
ROW_COLUMNS: Mapping[str, tuple[type[np.generic], tuple[int, ...]]] = {
    "packed": (np.uint8, (PACKED_BYTES,)),
    "actions": (np.int16, ()),
    "ends": (np.bool_, ()),
    "rewards": (np.float32, ()),
    "potentials": (np.float32, ()),
    "advice": (np.int16, ()),
    "ranks": (np.uint8, ()),
    "qualities": (np.float32, ()),
}


@dataclass(frozen=True, kw_only=True)
class Episodes(Shard):
    """Games end to end, one row per position with a legal move.

    The last row of a truncated game has no action: it is the next state of the row before. All
    actions are of from_to4096, as the mover sees the board.
    """

    packed: NDArray[np.uint8]  # [P, 107] packed features, flipped so that the mover is White
    actions: NDArray[np.int16]  # [P] the move that was played; -1: the game was truncated here
    ends: NDArray[np.bool_]  # [P] this action ended the game by the rules
    rewards: NDArray[np.float32]  # [P] for the mover: +1 if this action mates, else 0
    potentials: NDArray[np.float32]  # [P] the teacher's value for the mover; 0 if it was not asked
    advice: NDArray[np.int16]  # [P] the teacher's best action; -1 if it was not asked
    ranks: NDArray[np.uint8]  # [P] moves the teacher scores higher than the action; 255: not asked
    qualities: NDArray[np.float32]  # [P] how much of a decisive ending reaches this row
    legal: NDArray[np.int16]  # [L] legal actions of all rows
    legal_offsets: NDArray[np.int64]  # [P + 1] row i has legal[legal_offsets[i] : ...[i + 1]]

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Version 0.1 recorded no ranks."""
        if "actions" in arrays and "ranks" not in arrays:
            arrays = {**arrays, "ranks": np.full(len(arrays["actions"]), UNRANKED, np.uint8)}
        return super().from_arrays(arrays)

    def __post_init__(self) -> None:
        """Raises a ValueError if the arrays cannot be games: shards are read from disk."""
        self._check_layout()
        self._check_legal()
        self._check_games()

    def __len__(self) -> int:
        return len(self.actions)

    @property
    def played(self) -> NDArray[np.bool_]:
        """[P] The rows with an action, which are the transitions."""
        played: NDArray[np.bool_] = self.actions != NO_ACTION
        return played

    @property
    def legal_counts(self) -> NDArray[np.int64]:
        """[P] Number of legal actions."""
        return np.diff(self.legal_offsets)

    def take(self, rows: Rows) -> "Episodes":
        """Some rows in ascending order, which must be ends of games."""
        legal = Ragged(self.legal.astype(np.int32), self.legal_offsets).take(rows)
        return Episodes(
            **{name: getattr(self, name)[rows] for name in ROW_COLUMNS},
            legal=legal.values.astype(np.int16),
            legal_offsets=legal.offsets,
        )

    def _check_layout(self) -> None:
        rows = self.actions.size
        layout = {name: (kind, (rows, *shape)) for name, (kind, shape) in ROW_COLUMNS.items()}
        layout["legal"] = (np.int16, (self.legal.size,))
        layout["legal_offsets"] = (np.int64, (rows + 1,))
        for name, array in self.arrays().items():
            kind, shape = layout[name]
            if array.dtype != kind or array.shape != shape:
                raise ValueError(
                    f"{name} is {array.dtype}{list(array.shape)}, not {np.dtype(kind)}{list(shape)}"
                )

    def _check_legal(self) -> None:
        if self.legal_offsets[0] != 0 or self.legal_offsets[-1] != len(self.legal):
            raise ValueError(f"legal_offsets must go from 0 to {len(self.legal)}")
        if np.any(self.legal_counts < 1):
            raise ValueError("legal_offsets must ascend: every position has a legal action")

    def _check_games(self) -> None:
        for name, lowest in (("legal", 0), ("actions", NO_ACTION), ("advice", NO_ACTION)):
            array: NDArray[np.int16] = getattr(self, name)
            if np.any(array < lowest) or np.any(array >= ACTIONS):
                raise ValueError(f"{name} must hold whole numbers from {lowest} to {ACTIONS - 1}")
        if np.any(self.ends & ~self.played):
            raise ValueError("ends is set for a row without an action")
        if len(self) and not self.ends[-1] and self.played[-1]:
            raise ValueError("the last game neither ends nor is truncated")


def qualities(
    lengths: NDArray[np.int64], is_decisive: NDArray[np.bool_], gamma: float
) -> NDArray[np.float32]:
    """[P] gamma ** (rows left in the game), and 0 in games that are not decisive; for games [G] of
    these lengths."""
    rows_left = np.repeat(np.cumsum(lengths), lengths) - 1 - np.arange(lengths.sum())
    reaches: NDArray[np.float64] = np.float64(gamma) ** rows_left
    return np.where(np.repeat(is_decisive, lengths), reaches, 0).astype(np.float32)


LEGAL_PER_ROW = 40  # capacity for legal actions, on average per row; games have about 30


def high_quality_part(shard: Episodes, min_quality: float, capacity: int) -> Episodes:
    """The ends of games, each from its first row of at least this quality on. If these are more
    than a ring of `capacity` rows holds, only those of the last games that fit."""
    is_last = shard.ends | ~shard.played
    games: Rows = np.cumsum(is_last) - is_last  # [P] the number of each row's game
    reached = np.maximum.accumulate(np.where(shard.qualities >= np.float32(min_quality), games, -1))
    rows = np.flatnonzero(reached == games)
    counts = np.stack([np.ones(len(rows), np.int64), shard.legal_counts[rows]])
    to_the_end = np.cumsum(counts[:, ::-1], axis=1)[:, ::-1]  # [2, rows] rows, legal actions
    fits = np.all(to_the_end <= capacity * np.array([[1], [LEGAL_PER_ROW]]), axis=0)
    begins = np.diff(games[rows], prepend=-1) > 0
    first = np.flatnonzero(fits & begins)[:1]
    return shard.take(rows[first[0] :] if len(first) else rows[:0])


class Ring:
    """A ring buffer of the newest rows, in flat arrays of fixed size. A game's next position is in
    the next place, also where the ring wraps around.

    Legal actions have a ring of their own; each row knows where its own begin.
    """

    def __init__(self, capacity: int, place: int = 0) -> None:
        """The first row will stand in `place`."""
        if not 0 <= place < capacity:
            raise ValueError(f"{place} is no place in a replay of {capacity:,} positions")
        self.capacity = capacity
        self._start = self._stop = place  # of the oldest row and of the next one, not wrapped
        self.columns: dict[str, NDArray[Any]] = {
            name: np.zeros((capacity, *shape), kind) for name, (kind, shape) in ROW_COLUMNS.items()
        }
        self._legal = np.zeros(capacity * LEGAL_PER_ROW, np.int16)
        self._legal_start = self._legal_stop = 0
        self._legal_places = np.zeros(capacity, np.int64)
        self._legal_counts = np.zeros(capacity, np.int16)

    @property
    def place(self) -> int:
        """The place of the oldest row."""
        return self._start % self.capacity

    @property
    def rows(self) -> Rows:
        """The places of all rows, oldest first."""
        return np.arange(self._start, self._stop) % self.capacity

    def after(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        return (rows + 1) % self.capacity

    def check_size(self, shard: Episodes) -> None:
        """Raises a ValueError if the shard would not even fit into an empty ring."""
        if len(shard) > self.capacity or len(shard.legal) > len(self._legal):
            raise ValueError(
                f"a shard of {len(shard):,} positions and {len(shard.legal):,} legal actions is "
                f"more than the replay holds: {self.capacity:,} and {len(self._legal):,}"
            )

    def has_room(self, shard: Episodes) -> bool:
        rows = self._stop - self._start + len(shard)
        legal = self._legal_stop - self._legal_start + len(shard.legal)
        return rows <= self.capacity and legal <= len(self._legal)

    def append(self, shard: Episodes) -> NDArray[np.int64]:
        """Adds a shard that fits; returns the places of its rows."""
        rows = np.arange(self._stop, self._stop + len(shard)) % self.capacity
        for name, column in self.columns.items():
            column[rows] = getattr(shard, name)
        legal = np.arange(self._legal_stop, self._legal_stop + len(shard.legal)) % len(self._legal)
        self._legal[legal] = shard.legal
        self._legal_places[rows] = legal[shard.legal_offsets[:-1]]
        self._legal_counts[rows] = shard.legal_counts
        self._stop += len(shard)
        self._legal_stop += len(shard.legal)
        return rows

    def remove(self, shard: Episodes) -> NDArray[np.int64]:
        """Frees the rows of the oldest shard; returns their places."""
        rows = self.rows[: len(shard)]
        self._start += len(shard)
        self._legal_start += len(shard.legal)
        return rows

    def legal(self, rows: NDArray[np.int64]) -> Ragged:
        """The legal actions of some rows."""
        counts = self._legal_counts[rows]
        offsets = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(counts, out=offsets[1:])
        places = np.repeat(self._legal_places[rows] - offsets[:-1], counts)
        places += np.arange(offsets[-1])
        return Ragged(self._legal.take(places, mode="wrap").astype(np.int32), offsets)


@dataclass(frozen=True, kw_only=True)
class Transitions:
    """Actions with their n-step returns. `next_states` always are positions with legal actions, but
    they count only where discounts are not 0."""

    states: NDArray[np.uint8]  # [B, 107] packed features, the mover is White
    actions: NDArray[np.int16]  # [B]
    legal: Ragged
    advice: NDArray[np.int16]  # [B] -1 where the teacher was not asked
    ranks: NDArray[np.uint8]  # [B] of the actions among the teacher's moves, 0: none is better
    potentials: NDArray[np.float32]  # [B]
    returns: NDArray[np.float32]  # [B] discounted rewards on the way, for the mover
    discounts: NDArray[np.float32]  # [B] 0 where the game was over
    next_states: NDArray[np.uint8]  # [B, 107]
    next_legal: Ragged
    next_potentials: NDArray[np.float32]  # [B] for the mover of next_states; 0 where it was over
    is_truncated: NDArray[np.bool_]  # [B] the game was truncated at next_states


def negamax_transitions(ring: Ring, rows: Rows, *, n_step: int, gamma: float) -> Transitions:
    """n-step returns, sum over k < n of (-gamma)^k r_k, with discounts (-gamma)^n: every ply
    changes the mover, and with it the sign. Games that stop earlier have fewer plies."""
    last, going = rows, np.ones(len(rows), np.bool_)
    returns, discounts = np.zeros(len(rows)), np.ones(len(rows))
    for _ in range(n_step):
        going &= ring.columns["actions"][last] != NO_ACTION
        ends = ring.columns["ends"][last]
        returns += np.where(going, discounts * ring.columns["rewards"][last], 0)
        discounts *= np.where(going, np.where(ends, 0, -gamma), 1)
        going &= ~ends
        last = np.where(going, ring.after(last), last)
    return _transitions(ring, rows, last, returns, discounts)


def two_ply_transitions(ring: Ring, rows: Rows, *, gamma: float) -> Transitions:
    """A move and the reply, with the same mover before and after: returns are +1 if the move mates,
    -1 if the reply does, and discounts are gamma.

    A game truncated before the reply has no position with the same mover, so its last transition is
    one ply of negamax.
    """
    over = ring.columns["ends"][rows]
    reply = np.where(over, rows, ring.after(rows))
    replied = ~over & (ring.columns["actions"][reply] != NO_ACTION)
    rewards = ring.columns["rewards"]
    returns = rewards[rows] - np.where(replied, rewards[reply], 0)
    over |= replied & ring.columns["ends"][reply]
    last = np.where(replied & ~over, ring.after(reply), reply)
    discounts = np.where(over, 0, np.where(replied, gamma, -gamma))
    return _transitions(ring, rows, last, returns, discounts)


def _transitions(
    ring: Ring,
    rows: Rows,
    last: Rows,
    returns: NDArray[np.floating],
    discounts: NDArray[np.floating],
) -> Transitions:
    column = ring.columns
    return Transitions(
        states=column["packed"][rows],
        actions=column["actions"][rows],
        legal=ring.legal(rows),
        advice=column["advice"][rows],
        ranks=column["ranks"][rows],
        potentials=column["potentials"][rows],
        returns=returns.astype(np.float32),
        discounts=discounts.astype(np.float32),
        next_states=column["packed"][last],
        next_legal=ring.legal(last),
        next_potentials=np.where(discounts == 0, np.float32(0), column["potentials"][last]),
        is_truncated=column["actions"][last] == NO_ACTION,
    )
