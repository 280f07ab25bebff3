"""The options that GUIs can set: each is read by the engine, none is for show."""

from typing import Protocol

from selfmate.players.names import MOST_TEMPERATURE
from selfmate.uci.numbers import whole

ABOUT = "Selfmate, a laboratory for chess engines that teach themselves. Licence GPL-3.0-or-later."


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
    def __init__(self, temperature: float | None = None) -> None:
        """`temperature` is what the player is set to, None when it has none."""
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
        self._temperature = Spin(round(100 * (temperature or 0)), 0, 100 * MOST_TEMPERATURE)
        if temperature is not None:
            self.table["Temperature"] = self._temperature

    @property
    def temperature(self) -> float | None:
        """None unless it was changed: the player's own may lie between two hundredths."""
        option = self._temperature
        return None if option.value == option.default else option.value / 100

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
