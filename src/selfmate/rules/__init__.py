"""The rules of chess: boards, batches of games, game records and PGN, all backed by the core."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from selfmate._core import (
    Board,
    GameBatch,
    GameRecords,
    Outcome,
    push_moves,
    random_games,
    reason_names,
    uci_code,
    uci_text,
)
from selfmate.rules.chess960 import CHESS960_STARTS, chess960_fen
from selfmate.rules.cpu import available_cores
from selfmate.rules.pgn import RESULT_TEXTS, read_pgn, write_pgn
from selfmate.rules.seeds import derive_seeds


@dataclass(frozen=True)
class Ragged:
    """Row i is values[offsets[i] : offsets[i + 1]]."""

    values: NDArray[Any]  # [N] most often of int32
    offsets: NDArray[np.int64]  # [B + 1]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def counts(self) -> NDArray[np.int64]:
        """[B] The length of each row."""
        return np.diff(self.offsets)

    @property
    def rows(self) -> NDArray[np.int64]:
        """[N] The index of the row that each value belongs to."""
        return np.repeat(np.arange(len(self)), self.counts)

    def take(self, rows: NDArray[np.int64]) -> "Ragged":
        """The given rows, in this order."""
        places, offsets = places_of_rows(self.offsets, rows)
        return Ragged(self.values[places], offsets)

    def find(self, wanted: NDArray[Any]) -> NDArray[np.int64]:
        """[B] The index into `values` of each row's wanted value [B].

        Raises ValueError unless every row holds its wanted value exactly once.
        """
        hits = np.flatnonzero(self.values == np.repeat(wanted, self.counts))
        if len(hits) != len(self) or np.any(hits < self.offsets[:-1]):
            raise ValueError("every row must hold its wanted value once")
        return hits


@dataclass(frozen=True)
class SparseRows:
    """A sparse matrix by rows (CSR).

    Row i has values[offsets[i] : offsets[i + 1]] in the columns of the same slice, and zeros
    elsewhere.
    """

    columns: NDArray[np.int32]  # [N]
    values: NDArray[np.float32]  # [N]
    offsets: NDArray[np.int64]  # [B + 1]

    def __len__(self) -> int:
        return len(self.offsets) - 1


def best_places(values: NDArray[np.float32], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """[B] The index into `values` of the first maximum of each row. No row may be empty.

    NaN counts as the maximum, as with np.argmax.
    """
    highest = np.repeat(np.maximum.reduceat(values, offsets[:-1]), np.diff(offsets))
    hits = np.flatnonzero((values == highest) | np.isnan(values))
    return hits[np.searchsorted(hits, offsets[:-1])]


def places_of_rows(
    offsets: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Indices of the values of the given rows, and the offsets of these rows taken by themselves.

    Returns indices [M] into the flat array and offsets [len(rows) + 1] into those indices.
    """
    counts = offsets[rows + 1] - offsets[rows]
    own = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(counts, out=own[1:])
    places = np.repeat(offsets[rows] - own[:-1], counts)
    places += np.arange(own[-1])
    return places, own


REASONS = tuple(reason_names())
"""Names of the reasons why games end, by the codes in `GameRecords.reasons`."""

__all__ = [
    "CHESS960_STARTS",
    "REASONS",
    "RESULT_TEXTS",
    "Board",
    "GameBatch",
    "GameRecords",
    "Move",
    "Outcome",
    "Ragged",
    "SparseRows",
    "available_cores",
    "best_places",
    "chess960_fen",
    "derive_seeds",
    "places_of_rows",
    "push_moves",
    "random_games",
    "read_pgn",
    "sans_of",
    "uci_code",
    "uci_text",
    "write_pgn",
]


def sans_of(board: Board, moves: Iterable[str]) -> list[str]:
    """Moves in algebraic notation, up to the first illegal one: lines of engines may have some."""
    after, sans = board.copy(), []
    for move in moves:
        if move not in after.legal_moves():
            break
        sans.append(after.san(move))
        after.push(move, past_draw=True)
    return sans


class Move(int):
    """The code of a move, made from a code or from UCI text.

    The code is `from | to << 6 | promotion << 12`, squares counted from a1 = 0 to h8 = 63. It is
    absolute: the same for both sides.

    Examples:
        >>> from selfmate import Move
        >>> Move("e2e4"), int(Move("e2e4")), Move(1804).uci
        (Move('e2e4'), 1804, 'e2e4')
        >>> Move.codes(["e2e4", "a7a8q"])
        array([ 1804, 20016], dtype=uint16)
    """

    def __new__(cls, move: str | int) -> Self:
        code = uci_code(move) if isinstance(move, str) else int(move)
        uci_text(code)  # refuses what is no move
        return super().__new__(cls, code)

    @property
    def uci(self) -> str:
        """The move as UCI text."""
        return uci_text(int(self))

    @property
    def from_square(self) -> int:
        """Where the piece stands, from a1 = 0 to h8 = 63."""
        return int(self) & 63

    @property
    def to_square(self) -> int:
        """Where the piece goes, from a1 = 0 to h8 = 63."""
        return int(self) >> 6 & 63

    def __str__(self) -> str:
        return self.uci

    def __repr__(self) -> str:
        return f"Move({self.uci!r})"

    @staticmethod
    def codes(texts: Iterable[str]) -> NDArray[np.uint16]:
        """UCI texts as an array [N] of codes."""
        return np.array([uci_code(text) for text in texts], np.uint16)

    @staticmethod
    def texts(codes: NDArray[np.uint16]) -> list[str]:
        """An array [N] of codes as UCI texts."""
        return [uci_text(code) for code in codes.tolist()]
