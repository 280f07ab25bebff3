"""Player names as users type them: NAME[:key=value,...], where NAME may be a run directory."""

import os.path
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

MOST_TEMPERATURE = 10
USUAL_C_PUCT, MOST_C_PUCT = 1.5, 100


class PlayerName(NamedTuple):
    kind: str  # or the path of a run
    settings: Mapping[str, str] = MappingProxyType({})

    def __str__(self) -> str:
        settings = ",".join(f"{key}={value}" for key, value in self.settings.items())
        return f"{self.kind}:{settings}" if settings else self.kind


def parse_name(text: str) -> PlayerName:
    """Splits a name into its kind and settings."""
    kind, colon, rest = text.partition(":")
    if not kind or (colon and not rest):
        raise ValueError(f"bad player {text!r}: a player is NAME or NAME:key=value,key=value")
    return PlayerName(kind, _settings(rest, text))


def parse_run_name(text: str) -> PlayerName:
    """Splits the name of a run into its path and settings, which follow the last colon.

    Paths may hold colons as well: a directory of the whole name has no settings.
    """
    path, _, rest = text.rpartition(":")
    if not path or "=" not in rest or is_directory(text):
        return PlayerName(text)
    return PlayerName(path, _settings(rest, text))


def is_directory(path: str) -> bool:
    """False for anything that cannot be a path, too."""
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


def whole_setting(name: PlayerName, key: str, low: int, high: int) -> int | None:
    """A whole number among the settings, None when it is not given."""
    text = name.settings.get(key)
    if text is None:
        return None
    if text.isascii() and text.isdigit() and low <= int(text) <= high:
        return int(text)
    raise ValueError(f"{key}={text} of player {str(name)!r} is not a whole number {low}..{high}")


def number_setting(name: PlayerName, key: str, default: float, high: float) -> float:
    """A number from 0 among the settings, which need not be whole."""
    text = name.settings.get(key)
    if text is None:
        return default
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if 0 <= number <= high:
        return number
    raise ValueError(f"{key}={text} of player {str(name)!r} is not a number 0..{high:g}")


def temperature_setting(name: PlayerName) -> float:
    """How freely a player chooses among moves of about the same value; 0, not at all."""
    return number_setting(name, "temperature", 0.0, MOST_TEMPERATURE)


def c_puct_setting(name: PlayerName) -> float:
    """How much a search looks beyond what seems best."""
    return number_setting(name, "cpuct", USUAL_C_PUCT, MOST_C_PUCT)


def number_text(number: float) -> str:
    """As it is written in a full name."""
    return str(number).removesuffix(".0")


def check_settings(name: PlayerName, allowed: tuple[str, ...]) -> None:
    """Refuses settings that this kind of player does not have."""
    for key in name.settings:
        if key not in allowed:
            known = f"it has {', '.join(allowed)}" if allowed else "it has none"
            raise ValueError(f"player {name.kind!r} has no setting {key!r}; {known}")
