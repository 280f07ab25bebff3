"""Invented games, as plain Python rows and as shards, to compare the two."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Literal

import numpy as np

from selfmate.data.transitions import UNRANKED, Episodes
from selfmate.encodings.features import PACKED_BYTES

Ending = Literal["mate", "draw", "truncated"]
ENDINGS: tuple[Ending, ...] = ("mate", "draw", "truncated")


@dataclass(frozen=True)
class Row:
    """A position, identified by its number."""

    number: int
    action: int
    ends: bool
    reward: float
    potential: float
    advice: int
    rank: int
    quality: float
    legal: tuple[int, ...]


Game = list[Row]


@dataclass
class Inventor:
    """Invents games; no two rows have the same number."""

    seed: int = 1
    max_legal: int = 9
    numbers: Iterator[int] = field(default_factory=count)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)

    def game(self, plies: int, ending: Ending) -> Game:
        game = [self._row(mates=False, ends=False) for _ in range(plies - 1)]
        last = self._row(mates=ending == "mate", ends=ending != "truncated")
        if ending == "truncated":
            return [*game, last, self._row(mates=False, ends=False, plays=False)]
        return [*game, last]

    def shard(self, games: Sequence[tuple[int, Ending]]) -> list[Game]:
        return [self.game(plies, ending) for plies, ending in games]

    def _row(self, *, mates: bool, ends: bool, plays: bool = True) -> Row:
        size = self.rng.integers(1, self.max_legal + 1)
        legal = self.rng.choice(4096, size=size, replace=False).tolist()
        return Row(
            number=next(self.numbers),
            action=int(self.rng.choice(legal)) if plays else -1,
            ends=ends,
            reward=float(mates),
            potential=float(np.float32(self.rng.uniform(-1, 1))),
            advice=int(self.rng.choice([-1, *legal])),
            rank=int(self.rng.integers(size)) if plays else UNRANKED,
            quality=float(np.float32(max(0, self.rng.uniform(-1, 1)))),
            legal=tuple(legal),
        )


def state_of(row: Row) -> list[int]:
    return [*row.number.to_bytes(4, "big"), *[row.number % 251] * (PACKED_BYTES - 4)]


def episodes(games: Sequence[Game]) -> Episodes:
    rows = [row for game in games for row in game]
    return Episodes(
        packed=np.array([state_of(row) for row in rows], np.uint8).reshape(-1, PACKED_BYTES),
        actions=np.array([row.action for row in rows], np.int16),
        ends=np.array([row.ends for row in rows], np.bool_),
        rewards=np.array([row.reward for row in rows], np.float32),
        potentials=np.array([row.potential for row in rows], np.float32),
        advice=np.array([row.advice for row in rows], np.int16),
        ranks=np.array([row.rank for row in rows], np.uint8),
        qualities=np.array([row.quality for row in rows], np.float32),
        legal=np.array([action for row in rows for action in row.legal], np.int16),
        legal_offsets=np.cumsum([0, *(len(row.legal) for row in rows)], dtype=np.int64),
    )
