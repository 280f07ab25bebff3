"""Games of self-play as columns: one entry per position, games end to end or interleaved.

`SampledGames` have what REINFORCE learns from, `AttemptTrajectories` what the searchless net does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfmate.data.dataset import Chunk
from selfmate.data.game_filter import CODES
from selfmate.encodings.features import Candidates
from selfmate.encodings.records import (
    PositionRecords,
    TokenBatch,
    flipped_actions_of_records,
    is_white_to_move,
    tokens_of_records,
)
from selfmate.rules import Ragged, SparseRows, places_of_rows
from selfmate.runs import Shard

Rows = NDArray[np.int64]
# Columns by name: arrays with an entry per position, ragged ones with a row per position, or flat
# arrays with several entries per position, beside a column of their counts.
Columns = Mapping[str, Any]


def concatenated(parts: Sequence[Columns]) -> dict[str, Any]:
    """The columns of several parts end to end."""
    return {name: _concatenated([part[name] for part in parts]) for name in parts[0]}


def concatenated_ragged(parts: Sequence[Ragged]) -> Ragged:
    counts = np.concatenate([part.counts for part in parts])
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return Ragged(np.concatenate([part.values for part in parts]), offsets)


def sorted_rows(columns: Columns, keys: NDArray[np.int64]) -> dict[str, Any]:
    """Columns with an entry per position in the order of keys [P]; equal keys keep their order."""
    order = np.argsort(keys, kind="stable")
    return {
        name: column.take(order) if isinstance(column, Ragged) else column[order]
        for name, column in columns.items()
    }


def _concatenated(columns: Sequence[Any]) -> Any:
    if isinstance(columns[0], Ragged):
        return concatenated_ragged(columns)
    return np.concatenate(columns)


@dataclass(frozen=True, kw_only=True)
class SampledGames(Shard):
    """Moves sampled from a policy: P plies of G games in any order, with N legal moves in all. The
    names of the fields are those of the arrays on disk.

    Positions and moves are sparse inputs of the net, end to end, with a column of their counts.
    """

    results: NDArray[np.int8]  # [G] White's view: 1, 0, -1; 0 for truncated games as well
    is_cut: NDArray[np.bool_]  # [G] the game was truncated by the ply limit
    temperature: NDArray[np.float32]  # [1] of the policy softmax(score / temperature)
    games: NDArray[np.int32]  # [P] number of the game
    is_white: NDArray[np.bool_]  # [P] White is to move
    chosen: NDArray[np.uint8]  # [P] index of the move that was played among the legal moves
    log_probs: NDArray[np.float32]  # [P] of that move, when it was sampled
    entropies: NDArray[np.float32]  # [P] of the policy, in nats
    position_columns: NDArray[np.int16]
    position_values: NDArray[np.uint8]
    position_counts: NDArray[np.uint8]  # [P]
    legal_counts: NDArray[np.uint8]  # [P]
    move_columns: NDArray[np.uint8]
    move_counts: NDArray[np.uint8]  # [N]

    def __post_init__(self) -> None:
        """Raises a ValueError if the arrays do not fit together: shards are read from disk."""
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
            raise ValueError("these sampled games name a move or a game that does not exist")

    def __len__(self) -> int:
        return len(self.games)

    @property
    def results_of_plies(self) -> NDArray[np.int8]:
        """[P] Result of each ply's game, in White's view."""
        return self.results[self.games]

    def candidates(self, rows: Rows) -> Candidates:
        """The net's inputs for some plies."""
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


def sparse_columns(asked: Candidates) -> dict[str, Ragged]:
    """Positions and moves with a row per position; `flat_columns` makes columns of `SampledGames`
    of them."""
    positions, moves = asked.positions, asked.moves
    return {
        "position_columns": Ragged(positions.columns.astype(np.int16), positions.offsets),
        "position_values": Ragged(positions.values.astype(np.uint8), positions.offsets),
        "move_counts": Ragged(np.diff(moves.offsets).astype(np.uint8), asked.offsets),
        "move_columns": Ragged(moves.columns.astype(np.uint8), moves.offsets[asked.offsets]),
    }


def flat_columns(columns: Columns) -> dict[str, NDArray[Any]]:
    """Of `sparse_columns`: the rows end to end, and their lengths."""
    names = ("position_columns", "position_values", "move_counts", "move_columns")
    return {name: columns[name].values for name in names} | {
        "position_counts": columns["position_columns"].counts.astype(np.uint8),
        "legal_counts": columns["move_counts"].counts.astype(np.uint8),
    }


def _offsets(counts: NDArray[np.uint8]) -> Rows:
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


@dataclass(frozen=True, kw_only=True)
class AttemptTrajectories:
    """Moves with the illegal attempts before them. Actions are those of uci1968 as the mover sees
    the board."""

    stored: PositionRecords  # [N, 63]
    played: NDArray[np.int32]  # [N] the legal action
    tried: Ragged  # illegal actions attempted before it
    # [N] 1, 0, -1, and 0 for truncated games; perhaps less the mean result of other games.
    results_side_to_move: NDArray[np.int8] | NDArray[np.float32]
    moves_left: NDArray[np.int32]  # [N] the mover's own to the end, with this one; 0: unknown

    def __len__(self) -> int:
        return len(self.played)

    def take(self, rows: Rows) -> "AttemptTrajectories":
        """Some rows, in this order."""
        return AttemptTrajectories(
            stored=self.stored[rows],
            played=self.played[rows],
            tried=self.tried.take(rows),
            results_side_to_move=self.results_side_to_move[rows],
            moves_left=self.moves_left[rows],
        )

    def token_batch(self) -> TokenBatch:
        return tokens_of_records(self.stored)


def games_of_masters(chunk: Chunk, *, by_mate: bool) -> AttemptTrajectories:
    """Games of a dataset, without attempts. `moves_left` is known of games that ended in mate, or,
    without `by_mate`, taken of all games."""
    white = is_white_to_move(chunk.stored)
    left = (chunk.plies_left.astype(np.int32) + 1) // 2
    if by_mate:
        left = np.where(chunk.endings == CODES["checkmate"], left, 0)
    return AttemptTrajectories(
        stored=chunk.stored,
        played=flipped_actions_of_records(chunk.stored, chunk.moves),
        tried=Ragged(np.zeros(0, np.int32), np.zeros(len(chunk) + 1, np.int64)),
        results_side_to_move=np.where(white, chunk.results, -chunk.results).astype(np.int8),
        moves_left=left.astype(np.int32),
    )
