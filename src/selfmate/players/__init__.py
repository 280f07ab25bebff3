"""Anything that can choose a move, loaded by name.

Names are instant; all else is loaded on first use, for the UCI engine has to answer before.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from selfmate.players.names import PlayerName, parse_name

if TYPE_CHECKING:
    from selfmate.players.player import Choices, Limits, Player, Question, Thought

__all__ = [
    "PLAYERS",
    "Choices",
    "Limits",
    "Player",
    "Question",
    "Thought",
    "check_name",
    "load_player",
]

# Kind of player -> where it is made (module:function of a PlayerName), imported when asked for.
PLAYERS = {
    "random": "selfmate.players.builtin:make_random",
    "greedy": "selfmate.players.builtin:make_greedy",
    "teacher": "selfmate.players.builtin:make_teacher",
    "stockfish": "selfmate.players.stockfish:make_stockfish",
    "uci": "selfmate.players.external:make_external",
}


def check_name(text: str) -> PlayerName:
    """The parts of a name of some known kind. Instant; the settings are checked in loading."""
    name = parse_name(text)
    if name.kind not in PLAYERS:
        raise ValueError(f"no player {name.kind!r}; there are: {', '.join(PLAYERS)}")
    return name


def load_player(text: str) -> "Player":
    """The player of a name like `teacher:depth=2`; ValueError says what is wrong with it."""
    name = check_name(text)
    module, _, function = PLAYERS[name.kind].partition(":")
    make: Callable[[PlayerName], Player] = getattr(import_module(module), function)
    return make(name)


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module("selfmate.players.player"), name)
    raise AttributeError(f"module 'selfmate.players' has no attribute {name!r}")
