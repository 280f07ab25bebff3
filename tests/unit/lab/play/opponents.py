"""Opponents for games in the lab, and a clock that goes when it is told to."""

from dataclasses import replace
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

from selfmate.lab.play.games import Game
from selfmate.lab.players import LabPlayers
from selfmate.lab.runs_folder import RunsFolder
from selfmate.players import Player, Question, Thought
from selfmate.players.builtin import OnePlyPlayer
from selfmate.search.choices import random_choices

SECONDS = 30


class Players(LabPlayers):
    """The lab's own, and those that a test brings along by name."""

    def __init__(self) -> None:
        super().__init__(RunsFolder(Path("none")))
        self.brought: dict[str, Player] = {}

    def load(self, name: str) -> Player:
        return self.brought[name] if name in self.brought else super().load(name)


class SlowPlayer(OnePlyPlayer):
    """Thinks until it is told to stop."""

    def __init__(self) -> None:
        super().__init__("slow", random_choices)
        self.asked, self.stopped, self.closed = Event(), Event(), Event()

    def think(self, question: Question) -> Thought:
        self.asked.set()
        assert question.stop.wait(SECONDS)
        self.stopped.set()
        return super().think(question)

    def close(self) -> None:
        self.closed.set()


class FailingPlayer(OnePlyPlayer):
    def __init__(self) -> None:
        super().__init__("failing", random_choices)
        self.fails = True

    def think(self, question: Question) -> Thought:
        if self.fails:
            raise RuntimeError("the net is full of holes")
        return super().think(question)


class CheatingPlayer(OnePlyPlayer):
    def think(self, question: Question) -> Thought:
        return replace(super().think(question), best="e2e5")


class SeededPlayer(OnePlyPlayer):
    """By chance, but the same again with the same seed."""

    def __init__(self, seed: int) -> None:
        super().__init__("seeded", random_choices)
        self._chance = Random(seed)

    def think(self, question: Question) -> Thought:
        return super().think(replace(question, dice=self._chance.getrandbits(64)))


class Watch:
    """A clock for clocks, that goes when it is told to."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def settled(game: Game) -> dict[str, Any]:
    """The game when nobody thinks any more."""
    waited = Event()
    for _ in range(100 * SECONDS):
        state = game.data()
        if not state["thinking"]:
            return state
        waited.wait(0.01)
    raise AssertionError("the player thinks and thinks")
