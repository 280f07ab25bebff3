"""The options that GUIs can set: each is read by the engine, none is for show."""

from typing import Protocol

from selfmate.players.names import MOST_C_PUCT, MOST_TEMPERATURE
from selfmate.uci.numbers import whole
from selfmate.uci.traits import Traits

ABOUT = "Selfmate, a laboratory for chess engines that teach themselves. Licence GPL-3.0-or-later."
MOST_THREADS = 64


class Option(Protocol):
    def __str__(self) -> str:
        """What follows `option name NAME`."""

    def take(self, text: str) -> None:
        """A new value; ValueError says what is allowed."""


class Spin:
    def __init__(self, default: int, low: int, high: int) -> None:
        self.value = self.default = default
        self.low, self.high = low, high

    def __str__(self) -> str:
        return f"type spin default {self.default} min {self.low} max {self.high}"

    def take(self, text: str) -> None:
        number = whole(text, self.low, self.high)
        if number is None:
            raise ValueError(f"{text!r} is not a whole number {self.low}..{self.high}")
        self.value = number


class Hundredths(Spin):
    """A number that need not be whole, as what GUIs can set."""

    def __init__(self, default: float, most: int) -> None:
        super().__init__(round(100 * default), 0, 100 * most)

    @property
    def number(self) -> float | None:
        """None unless it was changed: the player's own may lie between two hundredths."""
        return None if self.value == self.default else self.value / 100


class Check:
    def __init__(self) -> None:
        self.value = False

    def __str__(self) -> str:
        return "type check default false"

    def take(self, text: str) -> None:
        if text.lower() not in ("true", "false"):
            raise ValueError(f"{text!r} is neither true nor false")
        self.value = text.lower() == "true"


class About:
    """Words for people, which cannot be set."""

    def __str__(self) -> str:
        return f"type string default {ABOUT}"

    def take(self, text: str) -> None:
        """GUIs send back what they were given; nothing comes of it."""


class Options:
    def __init__(self, traits: Traits) -> None:
        """What the player could not follow is not offered."""
        self.overhead_ms = Spin(60, 0, 5000)
        self.show_wdl = Check()
        self.multi_pv = Spin(1, 1, 500)
        self.table: dict[str, Option] = {
            "Move Overhead": self.overhead_ms,
            # Nothing hangs on it here: that it is offered tells the GUI that it may ponder.
            "Ponder": Check(),
            "MultiPV": self.multi_pv,
            "UCI_ShowWDL": self.show_wdl,
            "UCI_EngineAbout": About(),
        }
        self._temperature = Hundredths(traits.temperature or 0, MOST_TEMPERATURE)
        self._c_puct = Hundredths(traits.c_puct or 0, MOST_C_PUCT)
        self.threads = Spin(1, 1, MOST_THREADS)
        self.move_stats = Check()
        if traits.temperature is not None:
            self.table["Temperature"] = self._temperature
        if traits.c_puct is not None:
            self.table["CPuct"] = self._c_puct
            self.table["Threads"] = self.threads
            self.table["VerboseMoveStats"] = self.move_stats

    @property
    def temperature(self) -> float | None:
        return self._temperature.number

    @property
    def c_puct(self) -> float | None:
        return self._c_puct.number

    def lines(self) -> list[str]:
        """What `uci` is answered with."""
        return [f"option name {name} {option}" for name, option in self.table.items()]

    def set(self, words: list[str]) -> None:
        """The rest of a line `setoption name NAME [value VALUE]`; names may have spaces."""
        if words[:1] != ["name"]:
            raise ValueError("setoption must be: setoption name NAME value VALUE")
        split = words.index("value") if "value" in words else len(words)
        name, value = " ".join(words[1:split]), " ".join(words[split + 1 :])
        for known, option in self.table.items():
            if known.lower() == name.lower():
                return option.take(value)
        raise ValueError(f"no option {name!r}; there are: {', '.join(self.table)}")
