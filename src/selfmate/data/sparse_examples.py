"""Positions for a sparse net, with their targets: from the teacher's labels, from games of a
dataset, or from self-play."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from selfmate.data.dataset import Chunk
from selfmate.data.examples import ACTION_ENCODING, Rows, TreeGames, targets_of, targets_of_games
from selfmate.data.scored_positions import ScoredPositions
from selfmate.data.trajectories import concatenated_ragged
from selfmate.data.wdl_curve import DEFAULT_CURVE, WdlCurve
from selfmate.encodings.features import ACTION_ENCODING as LABEL_ENCODING
from selfmate.encodings.features import Packed
from selfmate.encodings.records import packed_of
from selfmate.nets.sparse_net import SparseInputs, SparseNet
from selfmate.rules import Ragged, places_of_rows

# The teacher looks a few plies ahead: what it calls a pawn is worth less than a strong engine's.
TEACHER_CURVE = WdlCurve(offset_full=1.0, offset_bare=1.0, slope_full=0.8, slope_bare=0.8)
PIECE_BYTES = 96  # of packed features, a bit for each piece
BITS = np.array([byte.bit_count() for byte in range(256)], np.int64)


@dataclass(frozen=True, kw_only=True)
class SparseExamples:
    """B positions with N legal moves in all."""

    inputs: SparseInputs
    policy: NDArray[np.float32]  # [N] target probability of each legal move; a row's sum is 1
    wdl_side_to_move: NDArray[np.float32]  # [B, 3] target: win, draw, loss

    def __len__(self) -> int:
        return len(self.inputs)


def examples_of_labels(
    net: SparseNet, positions: ScoredPositions, rows: Rows, *, sharpness: float
) -> SparseExamples:
    """The teacher's policy softmax(sharpness * score in pawns), and WDL by its best score."""
    batch = positions.batch(rows, sharpness=sharpness)
    places, offsets = places_of_rows(positions.offsets, rows)
    best = np.maximum.reduceat(positions.centipawns[places], offsets[:-1])
    pieces = BITS[batch.packed[:, :PIECE_BYTES]].sum(1)
    return SparseExamples(
        inputs=net.inputs_of(batch.packed, LABEL_ENCODING, batch.legal),
        policy=batch.probs,
        wdl_side_to_move=TEACHER_CURVE.wdl(best, pieces),
    )


def examples_of_chunks(
    net: SparseNet,
    chunks: Sequence[tuple[Chunk, float]],
    curve: WdlCurve = DEFAULT_CURVE,
) -> SparseExamples:
    """Positions of games, each chunk with the share of evaluations in its value targets."""
    targets = [targets_of_games(chunk, share, curve) for chunk, share in chunks]
    return _examples(net, [packed_of(chunk.stored) for chunk, _ in chunks], targets)


def examples_of_tree_games(
    net: SparseNet, parts: Sequence[tuple[TreeGames, Rows]], search_value_fraction: float
) -> SparseExamples:
    """Some positions of self-play."""
    targets = [targets_of(games, rows, search_value_fraction) for games, rows in parts]
    return _examples(net, [packed_of(games.stored[rows]) for games, rows in parts], targets)


def _examples(
    net: SparseNet,
    packed: Sequence[Packed],
    targets: Sequence[tuple[Ragged, NDArray[np.float32], NDArray[np.float32]]],
) -> SparseExamples:
    legal = concatenated_ragged([actions for actions, _, _ in targets])
    return SparseExamples(
        inputs=net.inputs_of(np.concatenate(packed), ACTION_ENCODING, legal),
        policy=np.concatenate([policy for _, policy, _ in targets]),
        wdl_side_to_move=np.concatenate([wdl for _, _, wdl in targets]),
    )
