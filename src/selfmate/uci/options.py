"""UCI options, and which of them a player supports. The engine uses every option it offers."""

import json
import os
from typing import NamedTuple, Protocol

from selfmate.players import (
    MAX_C_PUCT,
    MAX_TEMPERATURE,
    PLAYERS,
    PlayerName,
    c_puct_setting,
    is_plugin,
    temperature_setting,
)
from selfmate.uci.commands import parse_integer
from selfmate.weights import card_path, is_model

ABOUT = "Selfmate, a laboratory for chess engines that teach themselves. Licence GPL-3.0-or-later."
MAX_THREADS = 64
MAX_CARD_BYTES = 1 << 22
SEARCHING_NETS = ("se_resnet",)  # kinds of nets, as cards name them, that play by tree search


class Capabilities(NamedTuple):
    """What can be known of a player before it is loaded, which takes too long for `uci`."""

    temperature: float | None = None  # its default; None: it has no temperature
    c_puct: float | None = None  # its default; None: it does not search a tree
    uses_time: bool = False  # its name fixes no number of simulations, so the clock decides


def capabilities_of(name: PlayerName) -> Capabilities:
    """Read from the player's name and its net's card; ValueError if its settings are wrong."""
    if name.kind in PLAYERS or (not is_model(name.kind) and is_plugin(name.kind)):
        return Capabilities()
    temperature, c_puct = temperature_setting(name), c_puct_setting(name)
    simulations = name.settings.get("sims")
    if simulations == "0" or "by" in name.settings or _net_kind(name.kind) not in SEARCHING_NETS:
        return Capabilities(temperature)
    return Capabilities(temperature, c_puct, uses_time=simulations is None)


def _net_kind(weights: str) -> str | None:
    """The kind of net of a shipped model or of a run's newest checkpoint.

    None if its card cannot be read: only options depend on it here, and loading explains errors.
    """
    try:
        path = card_path(weights) if is_model(weights) else _newest_card(weights)
        kind = json.loads(_read_card(path))["player"]["kind"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None
    return kind if isinstance(kind, str) else None


def _newest_card(run: str) -> str:
    folder = f"{run}/checkpoints"
    newest = max((name for name in os.listdir(folder) if name.isdigit()), key=int)  # noqa: PTH208 - pathlib costs milliseconds
    return f"{folder}/{newest}/card.json"


def _read_card(path: str) -> bytes:
    """Without blocking, whatever kind of file it is."""
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        return os.read(file, MAX_CARD_BYTES)
    finally:
        os.close(file)


class Option(Protocol):
    def __str__(self) -> str:
        """What follows `option name NAME`."""

    def parse(self, text: str) -> None:
        """Sets a new value; ValueError says what is allowed."""


class Spin:
    def __init__(self, default: int, low: int, high: int) -> None:
        self.value = self.default = default
        self.low, self.high = low, high

    def __str__(self) -> str:
        return f"type spin default {self.default} min {self.low} max {self.high}"

    def parse(self, text: str) -> None:
        number = parse_integer(text, self.low, self.high)
        if number is None:
            raise ValueError(f"{text!r} is not a whole number {self.low}..{self.high}")
        self.value = number


class Hundredths(Spin):
    """A decimal number, which GUIs can set only in hundredths."""

    def __init__(self, default: float, high: int) -> None:
        super().__init__(round(100 * default), 0, 100 * high)

    @property
    def number(self) -> float | None:
        """None unless it was changed: the player's default may lie between two hundredths."""
        return None if self.value == self.default else self.value / 100


class Check:
    def __init__(self) -> None:
        self.value = False

    def __str__(self) -> str:
        return "type check default false"

    def parse(self, text: str) -> None:
        if text.lower() not in ("true", "false"):
            raise ValueError(f"{text!r} is neither true nor false")
        self.value = text.lower() == "true"


class About:
    """Information for people."""

    def __str__(self) -> str:
        return f"type string default {ABOUT}"

    def parse(self, text: str) -> None:
        """Ignored; GUIs send back what they were given."""


class Options:
    def __init__(self, capabilities: Capabilities) -> None:
        """Offers only what the player supports."""
        self.overhead_ms = Spin(60, 0, 5000)
        self.show_wdl = Check()
        self.multi_pv = Spin(1, 1, 500)
        self.table: dict[str, Option] = {
            "Move Overhead": self.overhead_ms,
            "Ponder": Check(),  # its value has no effect; offering it lets the GUI ponder
            "MultiPV": self.multi_pv,
            "UCI_ShowWDL": self.show_wdl,
            "UCI_EngineAbout": About(),
        }
        self._temperature = Hundredths(capabilities.temperature or 0, MAX_TEMPERATURE)
        self._c_puct = Hundredths(capabilities.c_puct or 0, MAX_C_PUCT)
        self.threads = Spin(1, 1, MAX_THREADS)
        self.move_stats = Check()
        if capabilities.temperature is not None:
            self.table["Temperature"] = self._temperature
        if capabilities.c_puct is not None:
            self.table["CPuct"] = self._c_puct
            self.table["Threads"] = self.threads
            self.table["VerboseMoveStats"] = self.move_stats

    @property
    def temperature(self) -> float | None:
        """None: the player's own."""
        return self._temperature.number

    @property
    def c_puct(self) -> float | None:
        """None: the player's own."""
        return self._c_puct.number

    def lines(self) -> list[str]:
        """The `option` lines of the answer to `uci`."""
        return [f"option name {name} {option}" for name, option in self.table.items()]

    def set(self, words: list[str]) -> None:
        """Handles `setoption name NAME [value VALUE]`; names may contain spaces."""
        if words[:1] != ["name"]:
            raise ValueError("setoption must be: setoption name NAME value VALUE")
        split = words.index("value") if "value" in words else len(words)
        name, value = " ".join(words[1:split]), " ".join(words[split + 1 :])
        for known, option in self.table.items():
            if known.lower() == name.lower():
                return option.parse(value)
        raise ValueError(f"no option {name!r}; there are: {', '.join(self.table)}")
