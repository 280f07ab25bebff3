"""Player names as users type them: NAME[:key=value,...]."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class PlayerName(NamedTuple):
    kind: str
    settings: Mapping[str, str] = MappingProxyType({})

    def __str__(self) -> str:
        settings = ",".join(f"{key}={value}" for key, value in self.settings.items())
        return f"{self.kind}:{settings}" if settings else self.kind


def parse_name(text: str) -> PlayerName:
    """Splits a name into its kind and settings."""
    kind, colon, rest = text.partition(":")
    if not kind or (colon and not rest):
        raise ValueError(f"bad player {text!r}: a player is NAME or NAME:key=value,key=value")
    settings: dict[str, str] = {}
    for part in rest.split(",") if rest else []:
        key, equals, value = part.partition("=")
        if not key or not equals or not value:
            raise ValueError(f"bad setting {part!r} of player {text!r}: it must be key=value")
        if key in settings:
            raise ValueError(f"setting {key!r} of player {text!r} is given twice")
        settings[key] = value
    return PlayerName(kind, settings)


def whole_setting(name: PlayerName, key: str, low: int, high: int) -> int | None:
    """A whole number among the settings, None when it is not given."""
    text = name.settings.get(key)
    if text is None:
        return None
    if text.isascii() and text.isdigit() and low <= int(text) <= high:
        return int(text)
    raise ValueError(f"{key}={text} of player {str(name)!r} is not a whole number {low}..{high}")


def check_settings(name: PlayerName, allowed: tuple[str, ...]) -> None:
    """Refuses settings that this kind of player does not have."""
    for key in name.settings:
        if key not in allowed:
            known = f"it has {', '.join(allowed)}" if allowed else "it has none"
            raise ValueError(f"player {name.kind!r} has no setting {key!r}; {known}")
