"""Positions that are never learned from, by kinds, to ask a net what it knows of the rules."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from selfmate.data.chunk import joined
from selfmate.data.chunks import ChunkFolder
from selfmate.encodings.sentences import (
    EMPTY,
    EN_PASSANT,
    MOVES,
    OWN_KING,
    SQUARES,
    YES,
    Sentences,
    sentences_of_stored,
    turned_actions_of_stored,
)
from selfmate.encodings.stored import Stored, planes_of
from selfmate.rules.ragged import Ragged

MANY_MEN, FEW_MEN = 25, 12  # at least so many: an opening; at most so many: an endgame
KING_HOME = 4  # e1, as the side to move sees it
KING_PLANE, ATTACKED_PLANE = 5, 59  # of planes68: own king, squares attacked by the enemy
ROWS_AT_ONCE = 2048
MOST_CHUNKS = 8  # en passant is possible once in a thousand positions
Rows = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class HeldOut:
    sentences: Sentences
    played: NDArray[np.int32] | None  # [N] what masters played, as the mover sees it
    rows: dict[str, Rows]  # by kind: "all" are a fair sample, kinds that are rare have more rows


def held_out(stored: Stored, played: NDArray[np.int32] | None, *, most: int) -> HeldOut:
    """Of many positions in a random order the first ones, and as many of each kind, or all."""
    sentences = sentences_of_stored(stored)
    kinds = {
        name: np.flatnonzero(found)[:most] for name, found in _kinds(stored, sentences).items()
    }
    kinds = {"all": np.arange(min(most, len(stored))), **kinds}
    used = np.unique(np.concatenate(list(kinds.values())))
    return HeldOut(
        sentences=sentences.take(used),
        played=None if played is None else played[used],
        rows={name: np.searchsorted(used, rows) for name, rows in kinds.items()},
    )


def master_positions(games: ChunkFolder, most: int) -> HeldOut:
    """Of the first chunks of those that were held back, which are mixed."""
    count = min(MOST_CHUNKS, len(games.chunk_sizes("validation")))
    chunk = joined([games.read("validation", number) for number in range(count)])
    played = turned_actions_of_stored(chunk.stored, chunk.moves)
    return held_out(chunk.stored, played, most=most)


def _kinds(stored: Stored, sentences: Sentences) -> dict[str, NDArray[np.bool_]]:
    tokens = sentences.tokens
    men = (tokens[:, SQUARES] != EMPTY).sum(1)
    return {
        "opening": men >= MANY_MEN,
        "middlegame": (men < MANY_MEN) & (men > FEW_MEN),
        "endgame": men <= FEW_MEN,
        "check": _in_check(stored),
        "castling": can_castle(tokens, sentences.legal),
        "en_passant": tokens[:, EN_PASSANT] == YES,
    }


def can_castle(tokens: NDArray[np.uint8], legal: Ragged) -> NDArray[np.bool_]:
    """[N] Whether a king at home may go two squares aside."""
    codes = MOVES[legal.values].astype(np.int64)
    start, end = codes & 63, codes >> 6 & 63
    goes = (start == KING_HOME) & ((end == KING_HOME + 2) | (end == KING_HOME - 2))
    some = np.add.reduceat(goes, legal.offsets[:-1], dtype=np.int64) > 0
    found: NDArray[np.bool_] = some & (tokens[:, SQUARES][:, KING_HOME] == OWN_KING)
    return found


def _in_check(stored: Stored) -> NDArray[np.bool_]:
    parts = np.split(stored, range(ROWS_AT_ONCE, len(stored), ROWS_AT_ONCE))
    return np.concatenate([_attacked_kings(planes_of(part)) for part in parts])


def _attacked_kings(planes: NDArray[np.float32]) -> NDArray[np.bool_]:
    both = planes[:, KING_PLANE] * planes[:, ATTACKED_PLANE]
    return np.asarray(both.reshape(len(both), -1).max(1) > 0)
