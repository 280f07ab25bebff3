"""Imported games as learners use them: opened with run errors, and held-out positions.

Held-out positions are never learned from. They are grouped by kind (opening, check, castling ...)
to measure what a net knows about the rules.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from selfmate.data.dataset import (
    ChunkFolder,
    DamagedChunkError,
    Split,
    concatenate_chunks,
    open_chunks,
)
from selfmate.encodings.records import (
    EMPTY,
    EN_PASSANT,
    MOVES,
    OWN_KING,
    SQUARES,
    YES,
    PositionRecords,
    TokenBatch,
    flipped_actions_of_records,
    planes_of,
    tokens_of_records,
)
from selfmate.rules import Ragged
from selfmate.runs import RunRefusedError

MIN_OPENING_PIECES, MAX_ENDGAME_PIECES = 25, 12
KING_HOME = 4  # e1, as the side to move sees it
KING_PLANE, ATTACKED_PLANE = 5, 59  # of planes96: own king, squares attacked by the enemy
PLANES_BATCH = 2048  # positions
MAX_CHUNKS = 8  # enough to find en passant, which is possible once in a thousand positions

Rows = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class HeldOut:
    """Held-out positions. "all" is a fair sample; rare kinds have rows beyond it."""

    batch: TokenBatch  # N positions
    played: NDArray[np.int32] | None  # [N] actions of the masters, seen from the side to move
    rows: dict[str, Rows]  # rows of each kind


def held_out(
    records: PositionRecords, played: NDArray[np.int32] | None, *, max_positions: int
) -> HeldOut:
    """The first `max_positions` of randomly ordered positions, and as many of each kind."""
    batch = tokens_of_records(records)
    kinds = {
        name: np.flatnonzero(found)[:max_positions]
        for name, found in _kinds(records, batch).items()
    }
    kinds = {"all": np.arange(min(max_positions, len(records))), **kinds}
    used = np.unique(np.concatenate(list(kinds.values())))
    return HeldOut(
        batch=batch.take(used),
        played=None if played is None else played[used],
        rows={name: np.searchsorted(used, rows) for name, rows in kinds.items()},
    )


def _kinds(records: PositionRecords, batch: TokenBatch) -> dict[str, NDArray[np.bool_]]:
    """[N] For each kind, whether each position is of it."""
    tokens = batch.tokens
    pieces = (tokens[:, SQUARES] != EMPTY).sum(1)
    return {
        "opening": pieces >= MIN_OPENING_PIECES,
        "middlegame": (pieces < MIN_OPENING_PIECES) & (pieces > MAX_ENDGAME_PIECES),
        "endgame": pieces <= MAX_ENDGAME_PIECES,
        "check": _in_check(records),
        "castling": can_castle(tokens, batch.legal),
        "en_passant": tokens[:, EN_PASSANT] == YES,
    }


def can_castle(tokens: NDArray[np.uint8], legal: Ragged) -> NDArray[np.bool_]:
    """[N] Whether the king is at home and has a legal move two squares aside."""
    codes = MOVES[legal.values].astype(np.int64)
    start, end = codes & 63, codes >> 6 & 63
    is_jump = (start == KING_HOME) & ((end == KING_HOME + 2) | (end == KING_HOME - 2))
    has_jump = np.add.reduceat(is_jump, legal.offsets[:-1], dtype=np.int64) > 0
    found: NDArray[np.bool_] = has_jump & (tokens[:, SQUARES][:, KING_HOME] == OWN_KING)
    return found


def _in_check(records: PositionRecords) -> NDArray[np.bool_]:
    """[N], in batches: the planes of all positions would fill the memory."""
    parts = np.split(records, range(PLANES_BATCH, len(records), PLANES_BATCH))
    return np.concatenate([_king_is_attacked(planes_of(part)) for part in parts])


def _king_is_attacked(planes: NDArray[np.float32]) -> NDArray[np.bool_]:
    both = planes[:, KING_PLANE] * planes[:, ATTACKED_PLANE]
    return np.asarray(both.reshape(len(both), -1).max(1) > 0)


def master_positions(games: ChunkFolder, max_positions: int) -> HeldOut:
    """Positions of the first validation chunks; chunks are shuffled across games."""
    count = min(MAX_CHUNKS, len(games.chunk_sizes("validation")))
    chunk = concatenate_chunks([games.read("validation", number) for number in range(count)])
    played = flipped_actions_of_records(chunk.stored, chunk.moves)
    return held_out(chunk.stored, played, max_positions=max_positions)


def held_out_masters(games: ChunkFolder, max_positions: int) -> HeldOut:
    """`master_positions` for a run, which is refused if a chunk is damaged."""
    try:
        return master_positions(games, max_positions)
    except DamagedChunkError as error:
        raise RunRefusedError(f"the master games cannot be used: {error}") from error


def open_games(data: tuple[str, ...]) -> list[ChunkFolder]:
    """The folders of games that a pretraining run was given with --data. Only the first needs
    positions for validation."""
    if not data:
        raise RunRefusedError("there are no games: name a folder of selfmate import with --data")
    try:
        first = open_chunks(Path(data[0]), "training", "validation")
        return [first, *(open_chunks(Path(name), "training") for name in data[1:])]
    except (OSError, ValueError) as error:
        raise RunRefusedError(f"the games cannot be used: {error}") from error


def open_masters(folder: str, *splits: Split) -> ChunkFolder | None:
    """The folder of master games that a self-play run uses besides; None for an empty name."""
    if not folder:
        return None
    try:
        return open_chunks(Path(folder), *splits)
    except (OSError, ValueError) as error:
        raise RunRefusedError(f"the master games cannot be used: {error}") from error
