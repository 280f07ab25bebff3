"""Selfmate: a laboratory for chess engines that teach themselves.

The public API on one screen. Everything is loaded on first use, so `import selfmate` is instant.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from selfmate.rules import (
        REASONS,
        Board,
        GameBatch,
        GameRecords,
        Outcome,
        random_games,
        read_pgn,
        write_pgn,
    )

    __version__: str

_HOME = {
    "Board": "selfmate.rules",  # one game: position, legal moves, notation, outcome
    "Outcome": "selfmate.rules",  # how a game ended: winner and reason
    "GameBatch": "selfmate.rules",  # many games stepped together from NumPy arrays
    "GameRecords": "selfmate.rules",  # finished games in flat arrays
    "REASONS": "selfmate.rules",  # why games end, by the codes in GameRecords.reasons
    "random_games": "selfmate.rules",  # seeded random play, whole games
    "read_pgn": "selfmate.rules",  # PGN files, also .zst and .gz, to GameRecords
    "write_pgn": "selfmate.rules",  # GameRecords to PGN
}

__all__ = [
    "REASONS",
    "Board",
    "GameBatch",
    "GameRecords",
    "Outcome",
    "__version__",
    "random_games",
    "read_pgn",
    "write_pgn",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("selfmate")
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'selfmate' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
