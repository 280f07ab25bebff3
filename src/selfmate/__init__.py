"""Selfmate: a laboratory for chess engines that teach themselves.

The public API on one screen. Everything is loaded on first use, so `import selfmate` is instant.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from selfmate.api import (
        load_net,
        load_player,
        play_match,
        rate,
        search,
        train,
    )
    from selfmate.encodings import encode
    from selfmate.rules import (
        REASONS,
        Board,
        GameBatch,
        GameRecords,
        Move,
        Outcome,
        random_games,
        read_pgn,
        write_pgn,
    )
    from selfmate.searches.config import SearchConfig

    __version__: str

_HOME = {
    # Chess
    "Board": "selfmate.rules",  # one game: position, legal moves, notation, outcome
    "Move": "selfmate.rules",  # UCI text for people, 16-bit code in arrays
    "Outcome": "selfmate.rules",  # how a game ended: winner and reason
    "GameBatch": "selfmate.rules",  # many games stepped together from NumPy arrays
    "GameRecords": "selfmate.rules",  # finished games in flat arrays
    "REASONS": "selfmate.rules",  # why games end, by the codes in GameRecords.reasons
    "random_games": "selfmate.rules",  # seeded random play, whole games
    "read_pgn": "selfmate.rules",  # PGN files, also .zst and .gz, to GameRecords
    "write_pgn": "selfmate.rules",  # GameRecords to PGN
    "encode": "selfmate.encodings",  # boards as features, planes or tokens
    # Engines
    "load_player": "selfmate.api",  # anything that chooses moves: player.analyse(board)
    "load_net": "selfmate.api",  # a trained net: net.evaluate(boards)
    "search": "selfmate.api",  # tree search of many boards: visits, values, lines
    "SearchConfig": "selfmate.searches.config",  # the numbers of a tree search
    "play_match": "selfmate.api",  # paired games: score and Elo with an interval
    "rate": "selfmate.api",  # a rating on the ladder
    "train": "selfmate.api",  # a learner by name: a run with its metrics as arrays
}

__all__ = [
    "REASONS",
    "Board",
    "GameBatch",
    "GameRecords",
    "Move",
    "Outcome",
    "SearchConfig",
    "__version__",
    "encode",
    "load_net",
    "load_player",
    "play_match",
    "random_games",
    "rate",
    "read_pgn",
    "search",
    "train",
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
