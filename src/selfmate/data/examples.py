"""Positions for a net with a policy and a value head, with their targets.

They come from games of a dataset, where the move that was played, or the best one by an analysis,
is the policy target, or from self-play with a tree search, where the search's move probabilities
are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from selfmate.data.dataset import Chunk
from selfmate.data.trajectories import concatenated_ragged
from selfmate.data.wdl_curve import DEFAULT_CURVE, WdlCurve
from selfmate.encodings.records import (
    RECORD_BYTES,
    PositionRecords,
    actions_of,
    is_white_to_move,
    legal_of,
    planes_of,
)
from selfmate.rules import Ragged, places_of_rows
from selfmate.runs import Shard

ACTION_ENCODING = "az4672"
Rows = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Examples:
    """B positions with N legal actions in all."""

    planes: NDArray[np.float32]  # [B, 96, 8, 8]
    legal: Ragged  # actions of az4672
    policy: NDArray[np.float32]  # [N] target probability of each legal action; a row's sum is 1
    wdl_side_to_move: NDArray[np.float32]  # [B, 3] target: win, draw, loss

    def __len__(self) -> int:
        return len(self.planes)

    def shares(self, count: int) -> list["Examples"]:
        """The examples in `count` parts of nearly equal size, or in single ones if they are few."""
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


def examples_of_games(
    chunk: Chunk, evaluation_share: float = 0.0, curve: WdlCurve = DEFAULT_CURVE
) -> Examples:
    """The planes and `targets_of_games`."""
    legal, policy, wdl = targets_of_games(chunk, evaluation_share, curve)
    return Examples(
        planes=planes_of(chunk.stored), legal=legal, policy=policy, wdl_side_to_move=wdl
    )


def targets_of_games(
    chunk: Chunk, evaluation_share: float = 0.0, curve: WdlCurve = DEFAULT_CURVE
) -> tuple[Ragged, NDArray[np.float32], NDArray[np.float32]]:
    """Legal actions, policy and WDL of the side to move, as `Examples` have them.

    Policy targets are the best moves where an analysis of the game named them, elsewhere the
    moves that were played. Value targets are the results of the games, mixed with evaluations where
    there are some: (1 - share) * result + share * WDL(evaluation)."""
    legal = legal_of(ACTION_ENCODING, chunk.stored)
    policy = np.zeros(len(legal.values), np.float32)
    policy[legal.find(actions_of(ACTION_ENCODING, chunk.stored, chunk.target_moves))] = 1
    view = np.where(is_white_to_move(chunk.stored), 1, -1).astype(np.int8)
    wdl = wdl_of(view * chunk.results)
    if evaluation_share:
        known = chunk.is_evaluated
        evaluated = curve.wdl_of(chunk.evaluations[known], chunk.stored[known])
        wdl[known] += np.float32(evaluation_share) * (evaluated - wdl[known])
    return legal, policy, wdl


def wdl_of(results_side_to_move: NDArray[np.int8]) -> NDArray[np.float32]:
    """[B, 3] One-hot win, draw, loss for results [B] of 1, 0 and -1."""
    wdl: NDArray[np.float32] = (results_side_to_move[:, None] == [1, 0, -1]).astype(np.float32)
    return wdl


@dataclass(frozen=True, kw_only=True)
class TreeGames(Shard):
    """Self-play with a tree search: P positions with N legal moves in all, those of a position
    together. The names of the fields are those of the arrays on disk."""

    stored: PositionRecords  # [P, RECORD_BYTES]
    results_side_to_move: NDArray[np.int8]  # [P] results of the games: 1, 0, -1
    wdl_side_to_move: NDArray[np.float16]  # [P, 3] of the best move, by the search
    legal_counts: NDArray[np.uint8]  # [P]
    actions: NDArray[np.uint16]  # [N] of az4672
    shares: NDArray[np.float16]  # [N] move probabilities by the search; a row's sum is 1

    def __post_init__(self) -> None:
        """Raises a ValueError if the arrays do not fit together: shards are read from disk."""
        positions = len(self.stored)
        if (
            self.stored.shape != (positions, RECORD_BYTES)
            or {len(self.results_side_to_move), len(self.legal_counts)} != {positions}
            or self.wdl_side_to_move.shape != (positions, 3)
            or len(self.actions) != len(self.shares)
            or self.legal_counts.sum(dtype=np.int64) != len(self.actions)
        ):
            raise ValueError("the arrays of these games are not of matching lengths")

    def __len__(self) -> int:
        return len(self.stored)

    @cached_property
    def offsets(self) -> Rows:
        """[P + 1] Position i has the moves offsets[i] to offsets[i + 1]."""
        offsets = np.zeros(len(self) + 1, np.int64)
        np.cumsum(self.legal_counts, out=offsets[1:])
        return offsets


def examples_of(games: TreeGames, rows: Rows, search_value_fraction: float) -> Examples:
    """The planes of some positions and `targets_of`."""
    legal, policy, wdl = targets_of(games, rows, search_value_fraction)
    planes = planes_of(games.stored[rows])
    return Examples(planes=planes, legal=legal, policy=policy, wdl_side_to_move=wdl)


def targets_of(
    games: TreeGames, rows: Rows, search_value_fraction: float
) -> tuple[Ragged, NDArray[np.float32], NDArray[np.float32]]:
    """Legal actions, policy and WDL of some positions, as `Examples` have them. The value target
    mixes the game's result with the search's expectation: (1 - f) * result + f * expectation."""
    places, offsets = places_of_rows(games.offsets, rows)
    probs = games.shares[places].astype(np.float32)
    sums = np.add.reduceat(probs, offsets[:-1])
    results, expected = wdl_of(games.results_side_to_move[rows]), games.wdl_side_to_move[rows]
    return (
        Ragged(games.actions[places].astype(np.int32), offsets),
        probs / np.repeat(sums, np.diff(offsets)),
        results + np.float32(search_value_fraction) * (expected - results),
    )


def concatenated_examples(parts: Sequence[Examples]) -> Examples:
    return Examples(
        planes=np.concatenate([part.planes for part in parts]),
        legal=concatenated_ragged([part.legal for part in parts]),
        policy=np.concatenate([part.policy for part in parts]),
        wdl_side_to_move=np.concatenate([part.wdl_side_to_move for part in parts]),
    )
