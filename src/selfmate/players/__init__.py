"""Players by name: `teacher:depth=2`, `alphazero-tiny:sims=800`, `runs/dqn-1:version=best`.

A player is anything that chooses moves; `players.player` has the protocol. This module has the
names and the registry, and imports nothing heavy: the UCI engine checks a name before it answers
`uci`, and has 100 ms for that. Whatever plays is imported when a player is loaded.
"""

import os.path
from collections.abc import Callable, Mapping
from importlib import import_module
from math import nan
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from selfmate.searches.numbers import NUMBERS, check_numbers
from selfmate.weights import is_model, model_names

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

    from selfmate.players.player import (
        Analysis,
        Choices,
        Limits,
        Player,
        RootStatistics,
        Scoring,
        SearchRequest,
        analyse,
        choose,
        ignore_analysis,
        load_scoring,
    )

__all__ = [
    "PLAYERS",
    "Analysis",
    "Choices",
    "Limits",
    "Player",
    "RootStatistics",
    "Scoring",
    "SearchRequest",
    "analyse",
    "check_name",
    "choose",
    "ignore_analysis",
    "load_player",
    "load_scoring",
]

# The registry: kind of player -> "module:factory". A factory takes the PlayerName.
PLAYERS = {
    "random": "selfmate.players.baseline:make_random",
    "greedy": "selfmate.players.baseline:make_greedy",
    "teacher": "selfmate.players.baseline:make_teacher",
    "stockfish": "selfmate.players.engine:make_stockfish",
    "uci": "selfmate.players.engine:make_external",
    "onnx": "selfmate.players.onnx:make_onnx",
}
TRAINED = "selfmate.players.trained:make_trained"
# Other packages register players as entry points of this group: the name is the kind, the value
# is a factory `make(name: PlayerName) -> Player`.
ENTRY_POINT_GROUP = "selfmate.players"

# Settings of a player's name -> numbers of its tree search. They have the same names, but one.
SEARCH_KEYS = MappingProxyType({"cpuct" if name == "c_puct" else name: name for name in NUMBERS})
MAX_TEMPERATURE = 10
MAX_MOVETIME_MS = 3_600_000
TERMINAL_SETTINGS = EXACT, OFF = "exact", "off"


class PlayerName(NamedTuple):
    """NAME[:key=value,...] as users type it."""

    kind: str  # a key of the registry, a shipped model, or the path of a run
    settings: Mapping[str, str] = MappingProxyType({})

    def __str__(self) -> str:
        settings = ",".join(f"{key}={value}" for key, value in self.settings.items())
        return f"{self.kind}:{settings}" if settings else self.kind


PlayerFactory = Callable[[PlayerName], "Player"]


class MiniChessRunError(ValueError):
    """A run of the mini-chess was asked to play chess."""


def load_player(text: str) -> "Player":
    """Loads the player of a name like `teacher:depth=2`; ValueError says what is wrong with it.

    The kind is looked up among built-in players, shipped models, entry points of other packages
    and run directories, in this order: another package cannot replace a player of ours.
    """
    name = check_name(text)
    return _factory(name.kind)(name)


def check_name(text: str) -> PlayerName:
    """Splits the name of a player that exists; ValueError lists the names there are.

    Fast, because nothing is loaded; wrong settings show when the player is loaded.
    """
    kind = text.partition(":")[0]
    if not kind or kind in PLAYERS or is_model(kind) or is_plugin(kind):
        return parse_name(text)
    name = parse_run_name(text)
    if is_directory(name.kind):
        return name
    if "/" in name.kind:
        raise ValueError(
            f"there is no directory {name.kind!r}; a run as a player is PATH or PATH:key=value"
        )
    names = [*PLAYERS, *model_names(), *plugin_names()]
    raise ValueError(
        f"no player {name.kind!r}; there are: {', '.join(names)}, or the path of a run"
    )


def can_search(net: Mapping[str, Any]) -> bool:
    """Whether the net that a card describes has policy and value, which a tree search needs."""
    return net.get("kind") in ("se_resnet", "sparse_net", "q_net") or net.get("value_head") is True


def is_plugin(kind: str) -> bool:
    """Whether another package provides this kind of player.

    Slow (about 20 ms) unless the kind is a path, because all installed packages are searched.
    """
    return "/" not in kind and kind in _entry_points().names


def plugin_names() -> list[str]:
    """The kinds of players that other packages provide, sorted. Names of ours are not theirs."""
    return sorted(
        name for name in _entry_points().names if name not in PLAYERS and not is_model(name)
    )


def about_plugin(kind: str) -> str:
    """What a player of another package says about itself: the first sentence of its factory's
    docstring. ValueError if it cannot be imported."""
    factory = _loaded(_entry_points()[kind])
    return " ".join((factory.__doc__ or "").partition("\n\n")[0].split())


def _factory(kind: str) -> PlayerFactory:
    if kind in PLAYERS:
        return _imported(PLAYERS[kind])
    if not is_model(kind) and is_plugin(kind):
        return _loaded(_entry_points()[kind])
    return _imported(TRAINED)


def _imported(reference: str) -> PlayerFactory:
    module, _, function = reference.partition(":")
    factory: PlayerFactory = getattr(import_module(module), function)
    return factory


def _loaded(point: "EntryPoint") -> PlayerFactory:
    try:
        factory: PlayerFactory = point.load()
    except (ImportError, AttributeError) as error:
        raise ValueError(
            f"player {point.name!r} cannot be loaded from {point.value!r}: {error}"
        ) from error
    return factory


def _entry_points() -> "EntryPoints":
    from importlib.metadata import entry_points

    return entry_points(group=ENTRY_POINT_GROUP)


def parse_name(text: str) -> PlayerName:
    """Splits a name into its kind and settings, which follow the first colon."""
    kind, colon, rest = text.partition(":")
    if not kind or (colon and not rest):
        raise ValueError(f"bad player {text!r}: a player is NAME or NAME:key=value,key=value")
    return PlayerName(kind, _settings(rest, text))


def parse_run_name(text: str) -> PlayerName:
    """Splits the name of a run into its path and settings, which follow the last colon.

    A path may contain colons: if the whole text is a directory, it has no settings.
    """
    path, _, rest = text.rpartition(":")
    if not path or "=" not in rest or is_directory(text):
        return PlayerName(text)
    return PlayerName(path, _settings(rest, text))


def with_movetime(text: str, movetime_ms: int) -> str:
    """The name of the same player with a fixed time a move in place of any other limit."""
    name = check_name(text)
    limits = ("sims", "nodes", "depth", "movetime")
    kept = {key: value for key, value in name.settings.items() if key not in limits}
    return str(PlayerName(name.kind, kept | {"movetime": str(movetime_ms)}))


def is_directory(path: str) -> bool:
    """False for text that cannot be a path, too."""
    return os.path.isdir(path)  # noqa: PTH112 - pathlib raises, and costs UCI milliseconds


def _settings(rest: str, text: str) -> dict[str, str]:
    settings: dict[str, str] = {}
    for part in rest.split(",") if rest else []:
        key, equals, value = part.partition("=")
        if not key or not equals or not value:
            raise ValueError(f"bad setting {part!r} of player {text!r}: it must be key=value")
        if key in settings:
            raise ValueError(f"setting {key!r} of player {text!r} is given twice")
        settings[key] = value
    return settings


# What factories read settings with.


def check_settings(name: PlayerName, allowed: tuple[str, ...]) -> None:
    """Refuses settings that this kind of player does not have."""
    for key in name.settings:
        if key not in allowed:
            known = f"it has {', '.join(allowed)}" if allowed else "it has none"
            raise ValueError(f"player {name.kind!r} has no setting {key!r}; {known}")


def integer_setting(name: PlayerName, key: str, low: int, high: int) -> int | None:
    """A setting that must be an integer from low to high; None if it is not given."""
    text = name.settings.get(key)
    if text is None:
        return None
    if text.isascii() and text.isdigit() and low <= int(text) <= high:
        return int(text)
    raise ValueError(f"{key}={text} of player {str(name)!r} is not a whole number {low}..{high}")


def number_setting(
    name: PlayerName, key: str, default: float, high: float, low: float = 0
) -> float:
    """A setting that must be a number from low to high; `default` if it is not given."""
    text = name.settings.get(key)
    if text is None:
        return default
    try:
        number = float(text)
    except ValueError:
        number = nan
    if low <= number <= high:
        return number
    raise ValueError(f"{key}={text} of player {str(name)!r} is not a number {low:g}..{high:g}")


def temperature_setting(name: PlayerName) -> float:
    """Softmax temperature of the move choice; 0 always plays the best move."""
    return number_setting(name, "temperature", 0.0, MAX_TEMPERATURE)


def terminal_setting(name: PlayerName, default: bool = True) -> bool:
    """Whether a net without search knows exactly which moves mate and draw."""
    text = name.settings.get("terminal")
    if text is None:
        return default
    if text in TERMINAL_SETTINGS:
        return text == EXACT
    raise ValueError(f"terminal={text} of player {str(name)!r} is not exact or off")


def search_settings(name: PlayerName) -> dict[str, float]:
    """The numbers of the tree search that a name sets, by their names in `SearchConfig`."""
    numbers = {
        number: _search_number(name, key, number)
        for key, number in SEARCH_KEYS.items()
        if key in name.settings
    }
    try:
        check_numbers(numbers)
    except ValueError as error:
        raise ValueError(f"player {str(name)!r}: {error}") from None
    return numbers


def _search_number(name: PlayerName, key: str, number: str) -> float:
    default, low, high, *_ = NUMBERS[number]
    if isinstance(default, float):
        return number_setting(name, key, default, high, low)
    integer = integer_setting(name, key, int(low), int(high)) or 0
    return bool(integer) if isinstance(default, bool) else integer


def search_texts(numbers: Mapping[str, Any]) -> dict[str, str]:
    """The settings of a full name for the numbers of its search that are not the default."""
    return {
        key: number_text(+numbers[number])
        for key, number in SEARCH_KEYS.items()
        if numbers[number] != NUMBERS[number].default
    }


def number_text(number: float) -> str:
    """A number as full names write it: `2`, not `2.0`."""
    return str(number).removesuffix(".0")


def __getattr__(name: str) -> Any:
    """Imports the names of `__all__` that live in `players.player` on first use."""
    if name in __all__:
        return getattr(import_module("selfmate.players.player"), name)
    raise AttributeError(f"module 'selfmate.players' has no attribute {name!r}")
