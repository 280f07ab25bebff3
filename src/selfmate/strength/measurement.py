"""Measures a plan, part by part: trains up to a time, takes the weights, rates them.

Every training and every rating is a verb in a process of its own, the same command that a user
would type. Two never run at the same time.
"""

import json
import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selfmate.arena.match_run import read_progress
from selfmate.players import parse_run_name
from selfmate.runs import RunDirectory, read_status
from selfmate.strength.plan import Part, Plan
from selfmate.strength.process import VerbProcess
from selfmate.strength.results import (
    Point,
    StrengthData,
    add_point,
    versions,
    write_results,
)
from selfmate.strength.snapshot import (
    Snapshot,
    TrainingProgress,
    read_snapshot,
    snapshot_minutes,
    take_snapshot,
    training_progress,
)

POOL, LOGS = "pool.jsonl", "logs"


class MeasurementStoppedError(Exception):
    """It was asked to stop; all that is finished is on disk."""


class PartFailedError(Exception):
    """A training or a rating failed; the text says why."""


@dataclass
class _Current:
    """The part that is being made."""

    part: Part
    number: int
    doing: str = "training"
    trained: float = 0  # minutes before this process
    began: float = 0
    run: str = ""


class Measurement:
    """What is missing of a plan, in a folder that this process has locked."""

    def __init__(
        self,
        plan: Plan,
        folder: Path,
        data: StrengthData,
        say: Callable[[str], None] = print,
    ) -> None:
        self._plan, self._folder, self.data, self.say = plan, folder, data, say
        self.failed: dict[str, str] = {}  # trainings that cannot continue, and why
        self._should_stop: Callable[[], bool] = lambda: False
        done = {(point["training"], point["minutes"]) for point in data["points"]}
        self.missing = [part for part in plan.parts() if part.key not in done]
        self._current: _Current | None = None
        self._pace = 1.0  # minutes a rating takes, for each that was expected
        check_past(self.missing, folder)

    def run(self, should_stop: Callable[[], bool], on_point: Callable[[], None]) -> None:
        """Makes all missing parts; `on_point` is called after each. A training that fails does not
        keep the others from being measured. MeasurementStoppedError if asked to stop."""
        self._should_stop = should_stop
        (self._folder / LOGS).mkdir(exist_ok=True)
        for number, part in enumerate(self.missing):
            if part.training.name in self.failed:
                continue
            self._current = _Current(part, number)
            try:
                point = self._make(part)
            except PartFailedError as error:
                self.failed[part.training.name] = str(error)
                self.say(f"{part.training.name} failed: {error}")
                continue
            if point is not None:
                add_point(self.data, point)
                write_results(self._folder, self.data)
                on_point()
        self._current = None

    def _make(self, part: Part) -> Point | None:
        snapshot = read_snapshot(part.training, part.minutes, self._folder)
        if snapshot is None:
            snapshot = self._train(part)
        return None if snapshot is None else self._rate(part, snapshot)

    def _train(self, part: Part) -> Snapshot | None:
        """None if the training had ended by itself before the snapshot before this one."""
        training = part.training
        progress = training_progress(training, self._folder)
        while not progress.is_done(part.minutes):
            stage = progress.current
            left = part.minutes - progress.seconds / 60
            self._begin("training", training.runs[stage], progress)
            self._run([*training.command(stage), "--minutes", f"{left:.9g}"], training.name)
            progress = training_progress(training, self._folder)
            if progress.current == stage:  # it was paused, because the time was over
                break
        if progress.finished and self._is_measured(part, progress):
            self.say(
                f"{training.name} was finished after {progress.seconds / 60:.3g} min: there is "
                f"nothing to measure at {part.minutes:g} min"
            )
            return None
        return take_snapshot(training, part.minutes, self._folder)

    def _is_measured(self, part: Part, progress: TrainingProgress) -> bool:
        """Whether an earlier snapshot has the last weights."""
        for minutes in snapshot_minutes(part.training, self._folder):
            found = read_snapshot(part.training, minutes, self._folder)
            if found and found.finished and found.step == progress.stages[-1].step:
                return True
        return False

    def _rate(self, part: Part, snapshot: Snapshot) -> Point:
        settings = part.training.family.settings
        player = f"{snapshot.name}:{settings}" if settings else snapshot.name
        arguments = ["rate", player, "--games", str(self._plan.games), "--pool", POOL]
        self._begin("rating", snapshot.name)
        began = time.monotonic()
        output = self._run([*arguments, "--json"], part.training.name)
        self._pace = (time.monotonic() - began) / 60 / self._plan.rating_minutes(part)
        name, rating = _rating_in(output, player)
        training, weights = part.training, _weights_of(self._folder / snapshot.name)
        return {
            "training": training.name,
            "family": training.family.name,
            "start": training.start.name,
            "seed": training.seed,
            "minutes": part.minutes,
            "trained_minutes": snapshot.trained_minutes,
            "finished": snapshot.finished,
            "step": snapshot.step,
            "player": name,
            "settings": settings,
            "weights": weights,
            **rating,  # type: ignore[typeddict-item]
            "commands": [*snapshot.commands, f"selfmate {shlex.join(arguments)}"],
            "versions": versions(),
        }

    def _run(self, arguments: list[str], log: str) -> bytes:
        """Runs a verb to its end; returns what it printed."""
        if self._should_stop():
            raise MeasurementStoppedError
        process = VerbProcess(arguments, self._folder, self._folder / LOGS / f"{log}.log")
        try:
            code = process.wait(self._should_stop)
        finally:
            process.close()
        if self._should_stop():
            raise MeasurementStoppedError
        if code:
            reason = process.last_line() or f"it ended with code {code}"
            raise PartFailedError(f"{reason} (selfmate {arguments[0]}, {LOGS}/{log}.log)")
        return process.output()

    # ---- progress

    def _begin(self, doing: str, run: str, progress: TrainingProgress | None = None) -> None:
        current = self._current
        assert current is not None
        current.doing, current.run, current.began = doing, run, time.monotonic()
        if progress is not None:
            current.trained = progress.seconds / 60

    def minutes_left(self) -> float:
        """Of all missing parts, from now on."""
        current, left = self._current, 0.0
        for number, part in enumerate(self.missing):
            if part.training.name in self.failed or (current and number < current.number):
                continue
            train, rate = self._minutes(part)
            if current and number == current.number:
                train, rate = self._minutes_of_current(current, rate)
            left += train + rate
        return left

    def _minutes(self, part: Part) -> tuple[float, float]:
        """Of training and of rating."""
        is_trained = (self._folder / part.training.snapshot(part.minutes)).exists()
        train = 0 if is_trained else part.minutes - part.trained_before
        return train, self._pace * self._plan.rating_minutes(part)

    def _minutes_of_current(self, current: _Current, rate: float) -> tuple[float, float]:
        if current.doing == "rating":
            games = self._rated_games(current)
            return 0, rate * (1 - min(1.0, games / self._plan.games))
        return max(0.0, current.part.minutes - self._trained(current)), rate

    def _trained(self, current: _Current) -> float:
        passed = (time.monotonic() - current.began) / 60 if current.began else 0
        return min(current.part.minutes, current.trained + passed)

    def _rated_games(self, current: _Current) -> int:
        progress = self._rating_progress(current)
        return int(progress.get("done", 0))

    def _rating_progress(self, current: _Current) -> dict[str, Any]:
        """Of this rating; the file may still be of the one before."""
        progress = read_progress(self._folder / POOL)
        is_this = str(progress.get("player", "")).startswith(f"{current.run}:")
        return progress if is_this else {}

    def text(self) -> str:
        """What is being done at the moment."""
        current = self._current
        if current is None:
            return "starting ..."
        part = f"part {current.number + 1} of {len(self.missing)}: {current.part.training.name}"
        doing = self._rating_text(current) if current.doing == "rating" else self._text(current)
        return f"{part}, {doing}"

    def _text(self, current: _Current) -> str:
        status = read_status(self._folder / current.run) if current.run else None
        words = [f"training, {self._trained(current):.3g} of {current.part.minutes:g} min"]
        if status is not None and status.state == "running":
            words += [f"{status.done:,} {status.unit}", status.activity]
        return ", ".join(filter(None, words))

    def _rating_text(self, current: _Current) -> str:
        progress = self._rating_progress(current)
        words = [f"rating after {current.part.minutes:g} min"]
        if progress:
            words.append(f"{progress.get('done', 0)} of {progress.get('games', '?')} games")
            words.append(str(progress.get("known", "")))
        return ", ".join(filter(None, words))


def check_past(parts: list[Part], folder: Path) -> None:
    """ValueError if a run is already past a time at which it has no snapshot."""
    for part in parts:
        times = snapshot_minutes(part.training, folder)
        if part.minutes not in times and any(minutes > part.minutes for minutes in times):
            raise ValueError(
                f"{part.training.name} in {folder} is past {part.minutes:g} minutes already: "
                f"its times are {', '.join(f'{minutes:g}' for minutes in times)}, and later ones; "
                "choose another --out"
            )


def _rating_in(output: bytes, player: str) -> tuple[str, dict[str, Any]]:
    """The full name and the rating of the player in the report of `selfmate rate`."""
    asked = parse_run_name(player)
    for name, rating in json.loads(output)["ratings"].items():
        found = parse_run_name(name)
        if found.kind == asked.kind and asked.settings.items() <= found.settings.items():
            return name, rating
    raise PartFailedError(f"selfmate rate gave no rating of {player}")


def _weights_of(directory: Path) -> str:
    return RunDirectory(directory).checkpoint("last").card.weights.sha256
