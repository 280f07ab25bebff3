"""What was played, as it is learned from: games end to end in flat arrays."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from selfmate.data.page import Page
from selfmate.encodings import CODINGS
from selfmate.encodings.packed import PACKED_BYTES

ACTIONS = CODINGS["from_to4096"].size
NO_ACTION = -1

# Of each array with an entry a row: its type, and the shape of an entry.
ROW_COLUMNS: Mapping[str, tuple[type[np.generic], tuple[int, ...]]] = {
    "packed": (np.uint8, (PACKED_BYTES,)),
    "actions": (np.int16, ()),
    "ends": (np.bool_, ()),
    "rewards": (np.float32, ()),
    "potentials": (np.float32, ()),
    "advice": (np.int16, ()),
    "qualities": (np.float32, ()),
}


@dataclass(frozen=True, kw_only=True)
class Episodes(Page):
    """Games end to end, a row a position in which there is a legal move.

    The last row of a game that was cut has no action: it is only looked at from the row before.
    All actions are of from_to4096, seen from the mover's side.
    """

    packed: NDArray[np.uint8]  # [P, 107] positions, turned so that the mover is White
    actions: NDArray[np.int16]  # [P] what was played; -1: nothing, the game was cut here
    ends: NDArray[np.bool_]  # [P] the game was over, by the rules, after this action
    rewards: NDArray[np.float32]  # [P] for the mover: +1 when this action mates, else 0
    potentials: NDArray[np.float32]  # [P] the teacher's value for the mover; 0 if it was not asked
    advice: NDArray[np.int16]  # [P] the teacher's best action; -1 if it was not asked
    qualities: NDArray[np.float32]  # [P] how much there is to learn from it
    legal: NDArray[np.int16]  # [L] legal actions of all rows
    legal_offsets: NDArray[np.int64]  # [P + 1] row i has legal[legal_offsets[i] : ...[i + 1]]

    def __post_init__(self) -> None:
        """ValueError says what cannot be: pages come from disk."""
        self._check_layout()
        self._check_legal()
        self._check_games()

    def __len__(self) -> int:
        return len(self.actions)

    @property
    def played(self) -> NDArray[np.bool_]:
        """[P] The rows with an action: the experiences."""
        played: NDArray[np.bool_] = self.actions != NO_ACTION
        return played

    @property
    def legal_counts(self) -> NDArray[np.int64]:
        """[P] How many legal actions each row has."""
        return np.diff(self.legal_offsets)

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
        for name, least in (("legal", 0), ("actions", NO_ACTION), ("advice", NO_ACTION)):
            array: NDArray[np.int16] = getattr(self, name)
            if np.any(array < least) or np.any(array >= ACTIONS):
                raise ValueError(f"{name} must hold whole numbers from {least} to {ACTIONS - 1}")
        if np.any(self.ends & ~self.played):
            raise ValueError("ends says that a game was over after a row without an action")
        if len(self) and not self.ends[-1] and self.played[-1]:
            raise ValueError("the last game neither ends nor is cut")


def qualities(
    lengths: NDArray[np.int64], telling: NDArray[np.bool_], gamma: float
) -> NDArray[np.float32]:
    """How much of its game's result reaches each row: gamma ** (plies left after this one).

    Games have so many rows, end to end; in games that do not tell anything it is 0.
    """
    left = np.repeat(np.cumsum(lengths), lengths) - 1 - np.arange(lengths.sum())
    reaches: NDArray[np.float64] = np.float64(gamma) ** left
    return np.where(np.repeat(telling, lengths), reaches, 0).astype(np.float32)
