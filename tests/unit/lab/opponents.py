"""Opponents for games in the lab, and a clock that a test sets."""

from dataclasses import replace
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

from selfmate.lab.game import Game
from selfmate.lab.players import LabPlayers
from selfmate.lab.runs_folder import RunsFolder
from selfmate.players import Analysis, Player, SearchRequest
from selfmate.players.baseline import OnePlyPlayer
from selfmate.searches.sampling import random_choices
from unit.lab.topic_data import data_of

SECONDS = 30


class Players(LabPlayers):
    """The lab's own, and those that a test brings along by name."""

    def __init__(self) -> None:
        super().__init__(RunsFolder(Path("none")))
        self.brought: dict[str, Player] = {}

    def load(self, name: str) -> Player:
        return self.brought[name] if name in self.brought else super().load(name)


class SlowPlayer(OnePlyPlayer):
    """Searches until it is stopped."""

    def __init__(self) -> None:
        super().__init__("slow", random_choices)
        self.asked, self.stopped, self.closed = Event(), Event(), Event()

    def analyse(self, request: SearchRequest) -> Analysis:
        self.asked.set()
        assert request.stop.wait(SECONDS)
        self.stopped.set()
        return super().analyse(request)

    def close(self) -> None:
        self.closed.set()


class FailingPlayer(OnePlyPlayer):
    def __init__(self) -> None:
        super().__init__("failing", random_choices)
        self.fails = True

    def analyse(self, request: SearchRequest) -> Analysis:
        if self.fails:
            raise RuntimeError("the net is full of holes")
        return super().analyse(request)


class CheatingPlayer(OnePlyPlayer):
    def analyse(self, request: SearchRequest) -> Analysis:
        return replace(super().analyse(request), best="e2e5")


class SeededPlayer(OnePlyPlayer):
    """By chance, but the same again with the same seed."""

    def __init__(self, seed: int) -> None:
        super().__init__("seeded", random_choices)
        self._chance = Random(seed)

    def analyse(self, request: SearchRequest) -> Analysis:
        return super().analyse(replace(request, seed=self._chance.getrandbits(64)))


class Watch:
    """A source of time that a test sets."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def settled(game: Game) -> Any:
    """The game when no player is searching."""
    waited = Event()
    for _ in range(100 * SECONDS):
        state = data_of(game)
        if not state["thinking"]:
            return state
        waited.wait(0.01)
    raise AssertionError("the player did not move in time")
