"""What a teacher said of many positions, handed out in batches as nets learn from it."""

import math
from dataclasses import dataclass, fields
from functools import cached_property
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from selfmate.data.positions import Positions
from selfmate.encodings.packed import inputs_of
from selfmate.rules.ragged import Ragged, SparseRows, places_of_rows

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Lesson:
    """Some positions, and what the teacher says of them."""

    inputs: SparseRows
    legal: Ragged
    probs: NDArray[np.float32]  # [N] the teacher's, of every legal action
    best: Rows  # [B] where the best actions stand among all legal ones
    values: NDArray[np.float32]  # [B]


class Teachings:
    """All positions, parted by game into those to learn from and those to be tested on."""

    def __init__(
        self, positions: Positions, *, validation: float, sharpness: float, seed: int
    ) -> None:
        """`validation` is a share of the games; `sharpness` a power of the probabilities."""
        self._positions, self._sharpness = positions, sharpness
        dice = np.random.default_rng(seed)
        count = int(positions.games.max(initial=-1)) + 1
        held = np.zeros(count, np.bool_)
        held[dice.permutation(count)[: math.ceil(validation * count)]] = True
        self.training = np.flatnonzero(~held[positions.games])
        self.validation = np.flatnonzero(held[positions.games])
        if not len(self.training):
            raise ValueError("data holds too few games: some to learn from, some to be tested on")

    def lesson(self, rows: Rows) -> Lesson:
        positions = self._positions
        places, offsets = places_of_rows(positions.legal_offsets, rows)
        legal = Ragged(positions.legal[places].astype(np.int32), offsets)
        return Lesson(
            inputs=inputs_of(positions.packed[rows]),
            legal=legal,
            probs=self._probs(rows, legal),
            best=offsets[:-1] + positions.best_places[rows],
            values=positions.values_side_to_move[rows],
        )

    def _probs(self, rows: Rows, legal: Ragged) -> NDArray[np.float32]:
        positions = self._positions
        entries, offsets = places_of_rows(positions.policy_offsets, rows)
        shares = positions.policy_probs[entries]
        # Of the largest, for high powers of small shares would all be 0.
        shares = shares / np.repeat(np.maximum.reduceat(shares, offsets[:-1]), np.diff(offsets))
        powers = shares ** np.float32(self._sharpness)
        powers /= np.repeat(np.add.reduceat(powers, offsets[:-1]), np.diff(offsets))
        probs = np.zeros(len(legal.values), np.float32)
        begins = np.repeat(legal.offsets[:-1], np.diff(offsets))
        np.add.at(probs, begins + positions.policy_places[entries], powers)
        return probs

    @cached_property
    def digest(self) -> str:
        """Other data, another digest."""
        parts = [getattr(self._positions, field.name) for field in fields(self._positions)]
        return sha256(b"".join(sha256(part.tobytes()).digest() for part in parts)).hexdigest()[:16]
