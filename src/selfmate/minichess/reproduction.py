"""The tables of the reference design reproduced: trainings by its listings, several at a time, each
in a process of its own and resumable; then their results.
"""

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np

from selfmate.learners.config import Config, read_config
from selfmate.learners.registry import LEARNERS
from selfmate.minichess.curves import Curve
from selfmate.minichess.game import compile_game
from selfmate.minichess.reference_tables import Column, Results, Settings, Table
from selfmate.minichess.simulation import ParallelGames
from selfmate.runs import Json, RunDirectory, RunRefusedError

PRESET = "paper"
DEFAULT_SEED = 2022  # the random seed of the reference design
SECONDS_BETWEEN_POLLS = 0.5
SECONDS_TO_SAVE = 120.0
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
SIMULATED_TOGETHER = 1000  # games of the random agent

Process = subprocess.Popen[str]


class TrainingFailedError(Exception):
    """A training failed; the text says which and why."""


@dataclass(frozen=True, kw_only=True)
class Training:
    """The arguments of one `selfmate train`."""

    directory: Path
    learner: str
    preset: str
    settings: dict[str, Json]
    seed: int

    @property
    def log(self) -> Path:
        return self.directory.with_name(f"{self.directory.name}.log")

    def sets(self) -> list[str]:
        return [f"{key}={_toml(value)}" for key, value in self.settings.items()]

    def command(self) -> list[str]:
        sets = [f"--set={text}" for text in self.sets()]
        options = ["--preset", self.preset, "--seed", str(self.seed), *sets]
        where = ["--run", str(self.directory), "--resume", "--json"]
        return [sys.executable, "-m", "selfmate", "train", self.learner, *options, *where]

    def config(self) -> Config:
        """ValueError if the learner does not have one of the settings."""
        return read_config(
            LEARNERS[self.learner], preset=self.preset, seed=self.seed, sets=self.sets()
        )

    def done(self) -> int:
        """Games played so far."""
        try:
            return RunDirectory(self.directory).status().done
        except RunRefusedError:
            return 0


def curve_of_run(training: Training) -> Curve:
    run = RunDirectory(training.directory)
    columns = run.columns()
    return Curve(
        games=columns["episodes"],
        reward=columns["reward"],
        moves=columns["moves"],
        mate_percent=columns["mate_percent"],
        seconds=sum(line["seconds"] for line in run.timings()),
    )


def run_trainings(
    trainings: Sequence[Training], parallel: int, on_poll: Callable[[], None]
) -> None:
    """Runs the trainings in order, `parallel` at a time; calls `on_poll` twice a second. On Ctrl-C
    and SIGTERM every training saves a checkpoint, then KeyboardInterrupt is raised."""
    waiting, running = list(trainings), dict[Process, Training]()
    with _stop_event() as stop:
        try:
            while (waiting or running) and not stop.is_set():
                while waiting and len(running) < parallel:
                    running |= {_start(waiting[0]): waiting.pop(0)}
                stop.wait(SECONDS_BETWEEN_POLLS)
                on_poll()
                _collect(running)
        finally:
            _stop(running)
    if stop.is_set():
        raise KeyboardInterrupt


@contextmanager
def _stop_event() -> Iterator[threading.Event]:
    """Set by a stop signal, which then does not end the program."""
    stop = threading.Event()
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in STOP_SIGNALS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _start(training: Training) -> Process:
    """In a process session of its own, so that Ctrl-C reaches only this program."""
    training.directory.parent.mkdir(parents=True, exist_ok=True)
    with training.log.open("w", encoding="utf-8") as log:
        return subprocess.Popen(
            training.command(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            text=True,
            start_new_session=True,
        )


def _collect(running: dict[Process, Training]) -> None:
    for process in [process for process in running if process.poll() is not None]:
        training = running.pop(process)
        if process.returncode:
            lines = training.log.read_text("utf-8").splitlines() or ["no message"]
            raise TrainingFailedError(f"training {training.directory} failed: {lines[-1]}")


def _stop(running: dict[Process, Training]) -> None:
    for process in running:
        process.terminate()
    for process in running:
        try:
            process.wait(SECONDS_TO_SAVE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _toml(value: Json) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass(frozen=True, kw_only=True)
class Reproduction:
    """The trainings behind some tables, each with several random seeds, and their results."""

    tables: tuple[Table, ...]
    episodes: int
    directory: Path
    seeds: tuple[int, ...] = (DEFAULT_SEED,)
    curve_of: Callable[[Training], Curve] = curve_of_run

    def trainings(self) -> list[Training]:
        """All that the tables need, each once, the longest first."""
        found = {
            training.directory: training
            for table in self.tables
            for column in table.columns
            for training in self.trainings_of(column)
        }
        return sorted(found.values(), key=_cost, reverse=True)

    def trainings_of(self, column: Column) -> list[Training]:
        """One for each seed; none of the random agent."""
        return [] if column.learner is None else [self._training(column, s) for s in self.seeds]

    def _training(self, column: Column, seed: int) -> Training:
        assert column.learner is not None
        settings: Settings = {"episodes": self.episodes} | column.settings
        parts = [column.learner, *map(_part, column.settings.items())]
        parts += [] if seed == DEFAULT_SEED else [f"seed-{seed}"]
        return Training(
            directory=self.directory / "-".join(parts),
            learner=column.learner,
            preset=PRESET,
            settings=settings,
            seed=seed,
        )

    def check(self) -> None:
        """Raises ValueError if a learner does not have one of the settings."""
        for training in self.trainings():
            training.config()

    def curves_of(self, table: Table) -> dict[str, list[Curve]]:
        """The curves of a table's agents by their labels."""
        return {
            column.label: [self.curve_of(training) for training in self.trainings_of(column)]
            for column in table.columns
            if column.learner is not None
        }

    def results_of(self, column: Column) -> list[Results]:
        """Ours, for each seed; the random agent's games are simulated."""
        if column.learner is None:
            draw_reward = float(str(column.settings.get("draw_reward", -1.0)))
            return [random_agent_results(seed, self.episodes, draw_reward) for seed in self.seeds]
        return [self.curve_of(training).results() for training in self.trainings_of(column)]


def with_grid(table: Table, grid: Mapping[str, Sequence[str]]) -> Table:
    """The table's last agent with other values of some settings, without reference results."""
    base = table.columns[-1]
    if base.learner is None:
        raise ValueError(f"table {table.number} is about the random agent, which has no settings")
    columns = []
    for values in product(*grid.values()):
        chosen: Settings = dict(zip(grid, values, strict=True))
        label = ", ".join(f"{key} {value}" for key, value in chosen.items())
        columns.append(Column(label=label, learner=base.learner, settings=base.settings | chosen))
    return replace(table, columns=tuple(columns))


def with_settings(table: Table, settings: Settings) -> Table:
    """All agents of the table with these settings as well, beside the same reference results."""
    if all(column.learner is None for column in table.columns):
        return table
    columns = [replace(column, settings=column.settings | settings) for column in table.columns]
    return replace(table, columns=tuple(columns))


def _part(setting: tuple[str, Json]) -> str:
    return f"{setting[0]}-{setting[1]}".lower()


def _cost(training: Training) -> tuple[bool, bool]:
    """Sorts the longest trainings first, so that all cores stay busy until the end."""
    return (training.settings.get("vectorized") is False, training.learner == "ddqn")


def random_agent_results(seed: int, games: int, draw_reward: float) -> Results:
    """The means of the first games that are played at random. All of them are played to their end:
    among those that end first, short ones are too many."""
    game = compile_game(4)
    together = ParallelGames(game, SIMULATED_TOGETHER, seed=seed, draw_reward=draw_reward)
    values = np.zeros((SIMULATED_TOGETHER, game.actions), np.float32)
    rewards, moves = np.zeros(games), np.zeros(games)
    while (together.numbers < games).any():
        numbers = together.numbers.copy()
        played = together.play(together.choose(values, 1.0))
        counted = numbers < games
        moves[numbers[counted]] += 1
        rewards[numbers[counted]] = played.rewards[counted]
    mate_percent = 100 * float((rewards == 1).mean())
    return Results(
        reward=float(rewards.mean()),
        moves=float(moves.mean()),
        draw_percent=100 - mate_percent,
        mate_percent=mate_percent,
    )
