"""Selfmate: a laboratory for chess engines that teach themselves.

The public API on one screen. Everything is loaded on first use, so `import selfmate` is instant.
`help(selfmate.NAME)` shows shapes, views and an example of each name.

Chess:
    Board         one game: position, legal moves, notation, outcome; a picture in a notebook
    Move          UCI text for people, 16-bit code in arrays
    Outcome       how a game ended: winner and reason
    GameBatch     many games stepped together from NumPy arrays
    GameRecords   finished games in flat arrays
    REASONS       why games end, by the codes in `GameRecords.reasons`
    random_games  seeded random play, whole games
    read_pgn      PGN files, also .zst and .gz, to `GameRecords`
    write_pgn     `GameRecords` to PGN
    encode        boards as features, planes or tokens

Engines:
    load_player   anything that chooses moves, by name: `player.analyse(board)`
    load_net      a trained net: `net.evaluate(boards)`
    search        tree search of many boards: visits, values, lines
    SearchConfig  the numbers of a tree search
    play_match    paired games: score and Elo with an interval
    rate          a rating on the ladder
    train         a learner by name: a run with its metrics as arrays

Two constants have no help of their own:

>>> import selfmate
>>> selfmate.REASONS[:3]
('unknown', 'checkmate', 'stalemate')
>>> selfmate.__version__.count(".") >= 2
True
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

# Where each name lives, in the order in which `selfmate.__dir__()` tells them.
_CHESS = {
    "Board": "selfmate.rules",
    "Move": "selfmate.rules",
    "Outcome": "selfmate.rules",
    "GameBatch": "selfmate.rules",
    "GameRecords": "selfmate.rules",
    "REASONS": "selfmate.rules",
    "random_games": "selfmate.rules",
    "read_pgn": "selfmate.rules",
    "write_pgn": "selfmate.rules",
    "encode": "selfmate.encodings",
}
_ENGINES = {
    "load_player": "selfmate.api",
    "load_net": "selfmate.api",
    "search": "selfmate.api",
    "SearchConfig": "selfmate.searches.config",
    "play_match": "selfmate.api",
    "rate": "selfmate.api",
    "train": "selfmate.api",
}
_HOME = _CHESS | _ENGINES

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
    return [*_HOME, "__version__"]
