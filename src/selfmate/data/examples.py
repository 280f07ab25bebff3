"""Positions for a net of policy and value to learn from: what it sees, and what it should say."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from selfmate.data.chunk import Chunk
from selfmate.encodings.stored import actions_of, is_white_to_move, legal_of, planes_of
from selfmate.rules.ragged import Ragged

CODING = "az4672"


@dataclass(frozen=True, kw_only=True)
class Examples:
    planes: NDArray[np.float32]  # [B, 68, 8, 8]
    legal: Ragged  # actions of az4672
    policy: NDArray[np.float32]  # [N] how likely each legal action should be; a row's sum is 1
    wdl_side_to_move: NDArray[np.float32]  # [B, 3]

    def __len__(self) -> int:
        return len(self.planes)

    def shares(self, count: int) -> list["Examples"]:
        """The same in `count` parts of nearly equal size, or as many as there are examples."""
        bounds = np.linspace(0, len(self), min(count, len(self)) + 1).astype(np.int64)
        return [self._between(*ends) for ends in pairwise(bounds.tolist())]

    def _between(self, start: int, stop: int) -> "Examples":
        offsets = self.legal.offsets[start : stop + 1]
        places = slice(offsets[0], offsets[-1])
        return Examples(
            planes=self.planes[start:stop],
            legal=Ragged(self.legal.values[places], offsets - offsets[0]),
            policy=self.policy[places],
            wdl_side_to_move=self.wdl_side_to_move[start:stop],
        )


def examples_of_games(chunk: Chunk) -> Examples:
    """The move that was played, and how the game ended."""
    legal = legal_of(CODING, chunk.stored)
    policy = np.zeros(len(legal.values), np.float32)
    policy[legal.find(actions_of(CODING, chunk.stored, chunk.moves))] = 1
    view = np.where(is_white_to_move(chunk.stored), 1, -1).astype(np.int8)
    return Examples(
        planes=planes_of(chunk.stored),
        legal=legal,
        policy=policy,
        wdl_side_to_move=wdl_of(view * chunk.results),
    )


def wdl_of(results_side_to_move: NDArray[np.int8]) -> NDArray[np.float32]:
    """[B, 3] For results [B] of 1, 0 and -1."""
    wdl: NDArray[np.float32] = (results_side_to_move[:, None] == [1, 0, -1]).astype(np.float32)
    return wdl
