"""Games whose moves were drawn from a policy, with all that is needed to learn from that."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfmate.data.page import Page
from selfmate.nets.move_scorer import Candidates
from selfmate.rules.ragged import SparseRows, places_of_rows

Rows = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class SampledGames(Page):
    """A row a ply, in any order; P plies of G games, with N legal moves in all.

    Of positions and moves the inputs that are set follow each other; each says how many it has.
    """

    results: NDArray[np.int8]  # [G] in White's view: 1, 0, -1; 0 for games that were cut as well
    is_cut: NDArray[np.bool_]  # [G] by the ply limit
    temperature: NDArray[np.float32]  # [1] of the policy softmax(score / temperature)
    games: NDArray[np.int32]  # [P] which game it is
    is_white: NDArray[np.bool_]  # [P] who is to move
    chosen: NDArray[np.uint8]  # [P] the move that was played, among the legal ones
    log_probs: NDArray[np.float32]  # [P] of that move, as it was drawn
    entropies: NDArray[np.float32]  # [P] of the policy, in nats
    position_columns: NDArray[np.int16]
    position_values: NDArray[np.uint8]
    position_counts: NDArray[np.uint8]  # [P]
    legal_counts: NDArray[np.uint8]  # [P]
    move_columns: NDArray[np.uint8]
    move_counts: NDArray[np.uint8]  # [N]

    def __post_init__(self) -> None:
        """ValueError says what cannot be: pages come from disk."""
        plies = ("games", "is_white", "chosen", "log_probs", "entropies")
        lengths = {len(getattr(self, name)) for name in (*plies, "position_counts", "legal_counts")}
        sums = (
            (self.position_counts, self.position_columns),
            (self.legal_counts, self.move_counts),
            (self.move_counts, self.move_columns),
        )
        if (
            len(lengths) != 1
            or any(counts.sum(dtype=np.int64) != len(flat) for counts, flat in sums)
            or len(self.position_values) != len(self.position_columns)
            or len(self.is_cut) != len(self.results)
            or self.temperature.shape != (1,)
        ):
            raise ValueError("the arrays of these sampled games are not of matching lengths")
        if (self.chosen >= self.legal_counts).any() or (self.games >= len(self.results)).any():
            raise ValueError("these sampled games hold a move or a game that is not there")

    def __len__(self) -> int:
        return len(self.games)

    @property
    def results_of_plies(self) -> NDArray[np.int8]:
        """[P] How each ply's game ended, in White's view."""
        return self.results[self.games]

    def candidates(self, rows: Rows) -> Candidates:
        """What a net is asked about some plies."""
        columns, of_positions = places_of_rows(self._position_offsets, rows)
        moves, of_legal = places_of_rows(self._legal_offsets, rows)
        inputs, of_moves = places_of_rows(self._move_offsets, moves)
        return Candidates(
            positions=SparseRows(
                self.position_columns[columns].astype(np.int32),
                self.position_values[columns].astype(np.float32),
                of_positions,
            ),
            is_white=self.is_white[rows],
            moves=SparseRows(
                self.move_columns[inputs].astype(np.int32),
                np.ones(len(inputs), np.float32),
                of_moves,
            ),
            offsets=of_legal,
        )

    @cached_property
    def _position_offsets(self) -> Rows:
        return _offsets(self.position_counts)

    @cached_property
    def _legal_offsets(self) -> Rows:
        return _offsets(self.legal_counts)

    @cached_property
    def _move_offsets(self) -> Rows:
        return _offsets(self.move_counts)


def sparse_columns(asked: Candidates) -> dict[str, NDArray[Any]]:
    """Positions and moves as `SampledGames` keeps them."""
    return {
        "is_white": asked.is_white,
        "position_columns": asked.positions.columns.astype(np.int16),
        "position_values": asked.positions.values.astype(np.uint8),
        "position_counts": np.diff(asked.positions.offsets).astype(np.uint8),
        "legal_counts": np.diff(asked.offsets).astype(np.uint8),
        "move_columns": asked.moves.columns.astype(np.uint8),
        "move_counts": np.diff(asked.moves.offsets).astype(np.uint8),
    }


def joined(parts: Sequence[Mapping[str, NDArray[Any]]]) -> dict[str, NDArray[Any]]:
    """Columns of several parts end to end."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _offsets(counts: NDArray[np.uint8]) -> Rows:
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets
