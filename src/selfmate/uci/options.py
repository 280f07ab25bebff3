"""UCI options, and which of them a player supports. The engine uses every option it offers."""

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from selfmate.players import (
    EXACT,
    MAX_TEMPERATURE,
    OFF,
    PLAYERS,
    TERMINAL_SETTINGS,
    PlayerName,
    can_search,
    is_plugin,
    search_settings,
    temperature_setting,
    terminal_setting,
)
from selfmate.searches.numbers import NUMBERS, SearchNumber, check_numbers
from selfmate.uci.commands import parse_integer
from selfmate.weights import card_path, folder_of, is_model
from selfmate.weights.calibration import Calibration, Strength, read_calibration

if TYPE_CHECKING:
    from selfmate.uci.tablebase import Tablebase

ABOUT = "Selfmate, a laboratory for chess engines that teach themselves. Licence GPL-3.0-or-later."
MAX_THREADS = 64
DEFAULT_HASH_MB, MAX_HASH_MB = 16, 4096
MAX_CARD_BYTES = 1 << 22


class Capabilities(NamedTuple):
    """What can be known of a player before it is loaded, which takes too long for `uci`."""

    temperature: float | None = None  # its default; None: it has no temperature
    # Numbers of its tree search that are not the default; None: it does not search.
    search: Mapping[str, float] | None = None
    uses_time: bool = False  # its name fixes no number of simulations, so the clock decides
    has_wdl: bool = False
    calibration: Calibration | None = None  # None: how strong it is was never measured
    exact_endings: bool | None = None  # its default; None: it has no choice


def capabilities_of(name: PlayerName) -> Capabilities:
    """Read from the player's name and its net's card; ValueError if its settings are wrong."""
    if name.kind in PLAYERS or (not is_model(name.kind) and is_plugin(name.kind)):
        return Capabilities()
    temperature, search = temperature_setting(name), search_settings(name)
    card = _card(name)
    net = card.get("player", {})
    found = Capabilities(
        temperature, has_wdl=bool(net.get("wdl")), calibration=_calibration(name, card)
    )
    if "by" in name.settings or name.settings.get("mask") == "0":
        return found
    if not _searches(name, net):
        return found._replace(exact_endings=terminal_setting(name))
    uses_time = not {"sims", "elo"} & name.settings.keys()
    return found._replace(search=search, uses_time=uses_time)


def _searches(name: PlayerName, net: dict[str, Any]) -> bool:
    """AlphaZero's nets do unless their name says otherwise, the others if theirs says so."""
    if not can_search(net):
        return False
    always = net["kind"] in ("se_resnet", "sparse_net")
    simulations = name.settings.get("sims", "100" if always else "0")
    return simulations != "0" or "movetime" in name.settings


def _calibration(name: PlayerName, card: dict[str, Any]) -> Calibration | None:
    """None if the name fixes how the net plays, too."""
    if name.settings.keys() - {"version"}:
        return None
    if is_model(name.kind):
        return read_calibration(folder_of(name.kind), card.get("weights_sha256", ""))
    return read_calibration(name.kind, _weights_digest(card))


def _weights_digest(card: dict[str, Any]) -> str:
    """Of a checkpoint."""
    files = card.get("files", {})
    return str(files.get("weights.safetensors", {}).get("sha256", ""))


def _card(name: PlayerName) -> dict[str, Any]:
    """The card of a shipped model or of a run's checkpoint; of another than the newest only if its
    step is given.

    Empty if it cannot be read: only options depend on it here, and loading explains errors.
    """
    try:
        path = card_path(name.kind) if is_model(name.kind) else _checkpoint_card(name)
        card = json.loads(_read_card(path))
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return {}
    return card if isinstance(card, dict) and isinstance(card.get("player"), dict) else {}


def _checkpoint_card(name: PlayerName) -> str:
    folder, version = f"{name.kind}/checkpoints", name.settings.get("version", "")
    steps = [step for step in os.listdir(folder) if step.isdigit()]  # noqa: PTH208 - pathlib costs milliseconds
    if version.isdigit():
        return f"{folder}/{next(step for step in steps if int(step) == int(version))}/card.json"
    return f"{folder}/{max(steps, key=int)}/card.json"


def _read_card(path: str) -> bytes:
    """Without blocking, whatever kind of file it is."""
    file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    try:
        return os.read(file, MAX_CARD_BYTES)
    finally:
        os.close(file)


class Option(Protocol):
    def __str__(self) -> str:
        """What follows `option name NAME`."""

    def parse(self, text: str) -> str | None:
        """Sets a new value and returns what there is to say about it, if anything; ValueError says
        what is allowed."""


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

    def __init__(self, default: float, high: float, low: float = 0) -> None:
        super().__init__(round(100 * default), round(100 * low), round(100 * high))

    @property
    def number(self) -> float | None:
        """None unless it was changed: the player's default may lie between two hundredths."""
        return None if self.value == self.default else self.value / 100


class Check:
    def __init__(self, default: bool = False) -> None:
        self.value = self.default = default

    def __str__(self) -> str:
        return f"type check default {str(self.default).lower()}"

    def parse(self, text: str) -> None:
        if text.lower() not in ("true", "false"):
            raise ValueError(f"{text!r} is neither true nor false")
        self.value = text.lower() == "true"


SearchOption = Spin | Hundredths | Check


def _search_option(number: SearchNumber, default: float) -> SearchOption:
    """The option of a number of the search; `default` is the player's."""
    if isinstance(number.default, bool):
        return Check(bool(default))
    if isinstance(number.default, int):
        return Spin(int(default), int(number.low), int(number.high))
    return Hundredths(default, number.high, number.low)


class Combo:
    """One of several words."""

    def __init__(self, default: str, words: tuple[str, ...]) -> None:
        self.value = self.default = default
        self._words = words

    def __str__(self) -> str:
        return f"type combo default {self.default} var {' var '.join(self._words)}"

    def parse(self, text: str) -> None:
        if text.lower() not in self._words:
            raise ValueError(f"{text!r} is none of {', '.join(self._words)}")
        self.value = text.lower()


class Button:
    """Pressed until the engine takes notice."""

    def __init__(self) -> None:
        self._is_pressed = False

    def __str__(self) -> str:
        return "type button"

    def parse(self, text: str) -> None:
        self._is_pressed = True

    def take(self) -> bool:
        """Whether it was pressed since the last call."""
        was_pressed, self._is_pressed = self._is_pressed, False
        return was_pressed


class SyzygyPath:
    """Folders with tablebases, which are opened when they are set."""

    def __init__(self) -> None:
        self.tables: Tablebase | None = None

    def __str__(self) -> str:
        return "type string default <empty>"

    def parse(self, text: str) -> str | None:
        """Bad folders leave no tables, not those of before."""
        self.tables = None
        if text in ("", "<empty>"):
            return None
        from selfmate.uci.tablebase import Tablebase

        self.tables = Tablebase(text)
        return f"found {self.tables.count} tablebases in {text}"


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
        self.chess960 = Check()
        self.show_wdl = Check()
        self.multi_pv = Spin(1, 1, 500)
        self.syzygy_path = SyzygyPath()
        self.table: dict[str, Option] = {
            "Move Overhead": self.overhead_ms,
            "Ponder": Check(),  # its value has no effect; offering it lets the GUI ponder
            "MultiPV": self.multi_pv,
            "SyzygyPath": self.syzygy_path,
            "UCI_Chess960": self.chess960,
            "UCI_EngineAbout": About(),
        }
        if capabilities.has_wdl:
            self.table["UCI_ShowWDL"] = self.show_wdl
        self._add_strength(capabilities.calibration)
        self._add_search(capabilities)

    def _add_strength(self, calibration: Calibration | None) -> None:
        self._calibration, self._limits_strength, self._elo = calibration, Check(), Spin(0, 0, 0)
        if calibration is not None:
            self._elo = Spin(calibration.highest, calibration.lowest, calibration.highest)
            self.table["UCI_LimitStrength"] = self._limits_strength
            self.table["UCI_Elo"] = self._elo

    def _add_search(self, capabilities: Capabilities) -> None:
        self._temperature = Hundredths(capabilities.temperature or 0, MAX_TEMPERATURE)
        self._numbers = {
            name: _search_option(number, (capabilities.search or {}).get(name, number.default))
            for name, number in NUMBERS.items()
        }
        self.threads = Spin(1, 1, MAX_THREADS)
        self.hash_mb = Spin(DEFAULT_HASH_MB, 0, MAX_HASH_MB)
        self._terminal = Combo(EXACT if capabilities.exact_endings else OFF, TERMINAL_SETTINGS)
        self.clear_hash = Button()
        self.move_stats = Check()
        if capabilities.temperature is not None:
            self.table["Temperature"] = self._temperature
        if capabilities.exact_endings is not None:
            self.table["Terminal"] = self._terminal
        self._terminal = Combo(
            OFF if capabilities.exact_endings is False else EXACT, TERMINAL_SETTINGS
        )
        if capabilities.exact_endings is not None:
            self.table["Terminal"] = self._terminal
        if capabilities.search is not None:
            self.table |= {NUMBERS[name].uci: option for name, option in self._numbers.items()}
            self.table["Threads"] = self.threads
            self.table["Hash"] = self.hash_mb
            self.table["Clear Hash"] = self.clear_hash
            self.table["VerboseMoveStats"] = self.move_stats

    @property
    def strength(self) -> Strength | None:
        """The settings that make the player as strong as UCI_Elo; None: it plays its best."""
        if self._calibration is None or not self._limits_strength.value:
            return None
        return self._calibration.strength(self._elo.value)

    @property
    def temperature(self) -> float | None:
        """None: the player's own."""
        return self._temperature.number if self.strength is None else self.strength.temperature

    @property
    def cache_mb(self) -> int:
        """Strength is measured without a cache."""
        return self.hash_mb.value if self.strength is None else 0

    @property
    def search(self) -> dict[str, float]:
        """The numbers of the search that were changed."""
        return {
            name: option.value / 100 if isinstance(option, Hundredths) else option.value
            for name, option in self._numbers.items()
            if option.value != option.default
        }

    @property
    def exact_endings(self) -> bool | None:
        """None: the player's own, with which its strength is measured."""
        if self.strength is not None or self._terminal.value == self._terminal.default:
            return None
        return self._terminal.value == EXACT

    def lines(self) -> list[str]:
        """The `option` lines of the answer to `uci`."""
        return [f"option name {name} {option}" for name, option in self.table.items()]

    def set(self, words: list[str]) -> str | None:
        """Handles `setoption name NAME [value VALUE]`; names may contain spaces. Returns what there
        is to say about the new value, if anything."""
        if words[:1] != ["name"]:
            raise ValueError("setoption must be: setoption name NAME value VALUE")
        split = words.index("value") if "value" in words else len(words)
        name, value = " ".join(words[1:split]), " ".join(words[split + 1 :])
        for known, option in self.table.items():
            if known.lower() == name.lower():
                return self._parse(option, value)
        raise ValueError(f"no option {name!r}; there are: {', '.join(self.table)}")

    def _parse(self, option: Option, text: str) -> str | None:
        """A number of the search that another one excludes is refused and keeps its value."""
        if not isinstance(option, Spin | Check):
            return option.parse(text)
        before = option.value
        option.parse(text)
        try:
            check_numbers({name: number.value for name, number in self._numbers.items()})
        except ValueError:
            option.value = before
            raise
        return None
