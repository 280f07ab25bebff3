"""Anything that can choose a move, loaded by name.

Names are instant; all else is loaded on first use, for the UCI engine has to answer before.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from selfmate.players.names import PlayerName, is_directory, parse_name, parse_run_name
from selfmate.weights import is_model, model_names

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
SHIPPED = "selfmate.players.trained:make_shipped"  # what is no kind may be a net that ships,
RUN = "selfmate.players.trained:make_trained"  # and else is the directory of a run


def check_name(text: str) -> PlayerName:
    """The parts of a name of some known kind. Instant; the settings are checked in loading."""
    kind = text.partition(":")[0]
    known = not kind or kind in PLAYERS or is_model(kind)
    return parse_name(text) if known else _check_run_name(text)


def _check_run_name(text: str) -> PlayerName:
    name = parse_run_name(text)
    if is_directory(name.kind):
        return name
    if "/" in name.kind:
        raise ValueError(
            f"there is no directory {name.kind!r}; a run as a player is PATH or PATH:key=value"
        )
    there_are = ", ".join([*PLAYERS, *model_names()])
    raise ValueError(f"no player {name.kind!r}; there are: {there_are}, or the path of a run")


def load_player(text: str) -> "Player":
    """The player of a name like `teacher:depth=2`; ValueError says what is wrong with it."""
    name = check_name(text)
    of_weights = SHIPPED if is_model(name.kind) else RUN
    module, _, function = PLAYERS.get(name.kind, of_weights).partition(":")
    make: Callable[[PlayerName], Player] = getattr(import_module(module), function)
    return make(name)


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module("selfmate.players.player"), name)
    raise AttributeError(f"module 'selfmate.players' has no attribute {name!r}")
