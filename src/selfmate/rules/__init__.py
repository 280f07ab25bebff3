"""The rules of chess: boards, batches of games, game records and PGN, all backed by the core."""

from collections.abc import Iterable
from typing import Self

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
from selfmate.rules.cpu import available_cores
from selfmate.rules.pgn import read_pgn, write_pgn
from selfmate.rules.ragged import Ragged, SparseRows, best_places, places_of_rows

# Names of the reasons why games end, by the codes in GameRecords.reasons.
REASONS = tuple(reason_names())

__all__ = [
    "REASONS",
    "Board",
    "GameBatch",
    "GameRecords",
    "Move",
    "Outcome",
    "Ragged",
    "SparseRows",
    "available_cores",
    "best_places",
    "places_of_rows",
    "push_moves",
    "random_games",
    "read_pgn",
    "uci_code",
    "uci_text",
    "write_pgn",
]


class Move(int):
    """The code of a move, made from a code or from UCI text.

    The code is `from | to << 6 | promotion << 12`, squares counted from a1 = 0 to h8 = 63.

    >>> Move("e2e4")
    Move('e2e4')
    >>> int(Move("e2e4"))
    1804
    >>> Move(1804).uci
    'e2e4'
    """

    def __new__(cls, move: str | int) -> Self:
        code = uci_code(move) if isinstance(move, str) else int(move)
        uci_text(code)  # refuses what is no move
        return super().__new__(cls, code)

    @property
    def uci(self) -> str:
        return uci_text(int(self))

    @property
    def from_square(self) -> int:
        return int(self) & 63

    @property
    def to_square(self) -> int:
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
