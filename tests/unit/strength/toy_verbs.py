"""`selfmate strength` with verbs that take no time: a training whose steps last 40 seconds of a
clock of its own, and a rating that is made up. Also a program, to be killed and stopped."""

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from selfmate.players import parse_run_name
from selfmate.runs import Policy, RunDirectory
from selfmate.runs.card import Header
from selfmate.runs.run import Arrays, SavedState
from selfmate.runs.session import Session, open_run

STEP_SECONDS = 40.0
PRETRAINING_STEPS = 3
ENDLESS = 10**6
POLICY = Policy(checkpoint_every=2, keep_last=1, keep_every=0)
CALLS = "calls.txt"  # the verbs that ran to their end
INTERRUPT = "TOY_INTERRUPT"  # the number of the verb within which Ctrl-C is pressed
FAILS = "TOY_FAILS"  # the learner that fails


class State:
    def __init__(self) -> None:
        self.weights = {"w": np.zeros(2)}

    def save(self) -> SavedState:
        return SavedState(weights=self.weights, rest={"m": np.ones(3)}, facts={})

    def load(self, saved: SavedState) -> None:
        self.weights = {"w": np.array(saved.weights["w"])}

    def load_weights(self, weights: Arrays) -> None:
        self.weights = {"w": np.array(weights["w"])}


class ToyVerb:
    """In place of `VerbProcess`."""

    def __init__(self, arguments: Sequence[str], folder: Path, log: Path) -> None:
        self.arguments, self._folder, self._log = list(arguments), folder, log
        self._output = b""

    def option(self, name: str) -> str:
        return self.arguments[self.arguments.index(name) + 1]

    def wait(self, should_stop: Callable[[], bool]) -> int:
        calls = self._folder / CALLS
        number = len(calls.read_text().splitlines()) if calls.exists() else 0
        if os.environ.get(INTERRUPT) == str(number):
            os.kill(os.getpid(), signal.SIGINT)
            while not should_stop():
                pass
            return 130
        if self.arguments[0] == "rate":
            self._rate()
        elif self.arguments[1] == os.environ.get(FAILS):
            self._log.write_text("a line\nselfmate: out of luck\n")
            return 1
        else:
            self._train()
        with calls.open("a") as file:
            file.write(" ".join(self.arguments) + "\n")
        return 0

    def _train(self) -> None:
        now = 0.0
        is_pretraining = self.arguments[0] == "pretrain"
        header = Header(self.arguments[1], {"seed": int(self.option("--seed"))})
        session = Session(resume=True, minutes=float(self.option("--minutes")), say=_ignore)
        with (
            patch.object(time, "monotonic", lambda: now),
            open_run(self._folder / self.option("--run"), header, POLICY, session) as run,
        ):
            total = PRETRAINING_STEPS if is_pretraining else ENDLESS
            state = State()
            for step in run.steps(state, total=total, unit="cycles", player={"kind": "toy"}):
                tick = step.part("play", 1, "games")
                now += STEP_SECONDS
                tick(1)
                state.weights = {"w": state.weights["w"] + 1}
                step.record({"loss": 1.0})

    def _rate(self) -> None:
        player = parse_run_name(self.arguments[1])
        found = RunDirectory(self._folder / player.kind).checkpoint("last")
        elo = 100.0 * float(found.weights["w"][0])
        settings = ",".join(f"{key}={value}" for key, value in player.settings.items())
        name = f"{player.kind}:version={found.card.step}" + (f",{settings}" if settings else "")
        rating = {
            "elo": elo,
            "low": elo - 50,
            "high": elo + 50,
            "games": int(self.option("--games")),
            "misfit": 1.0,
            "ruler_margin": 20.0,
        }
        report: dict[str, Any] = {"scale": "toy", "ratings": {"random": {}, name: rating}}
        self._output = json.dumps(report).encode()

    def close(self) -> None:
        pass

    def output(self) -> bytes:
        return self._output

    def last_line(self) -> str:
        return self._log.read_text().splitlines()[-1].removeprefix("selfmate: ")


def _ignore(notice: str) -> None:
    pass


def main() -> None:
    """`selfmate strength` without the extra for plots."""
    from selfmate import cli

    sys.argv = ["selfmate", "strength", *sys.argv[1:]]
    with (
        patch("selfmate.strength.measurement.VerbProcess", ToyVerb),
        patch("selfmate.extras.has_extra", lambda name: name == "train"),
    ):
        cli.main()


if __name__ == "__main__":
    main()
