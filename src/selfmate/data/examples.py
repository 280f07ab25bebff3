"""Positions for a net of policy and value to learn from: what it sees, and what it should say."""

from dataclasses import dataclass

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


def examples_of_games(chunk: Chunk, *, threads: int = 1) -> Examples:
    """The move that was played, and how the game ended."""
    legal = legal_of(CODING, chunk.stored, threads=threads)
    policy = np.zeros(len(legal.values), np.float32)
    policy[legal.find(actions_of(CODING, chunk.stored, chunk.moves, threads=threads))] = 1
    view = np.where(is_white_to_move(chunk.stored), 1, -1).astype(np.int8)
    return Examples(
        planes=planes_of(chunk.stored, threads=threads),
        legal=legal,
        policy=policy,
        wdl_side_to_move=wdl_of(view * chunk.results),
    )


def wdl_of(results_side_to_move: NDArray[np.int8]) -> NDArray[np.float32]:
    """[B, 3] For results [B] of 1, 0 and -1."""
    wdl: NDArray[np.float32] = (results_side_to_move[:, None] == [1, 0, -1]).astype(np.float32)
    return wdl
