"""The tables of the reference design reproduced: trainings by its listings, several at a time, each
in a process of its own and resumable; then their results and learning curves.
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
from numpy.typing import NDArray

from selfmate.learners.config import read_config
from selfmate.learners.registry import LEARNERS
from selfmate.minichess.game import compile_game
from selfmate.minichess.reference_tables import Column, Results, Settings, Table
from selfmate.minichess.solver import random_agent
from selfmate.runs import Json, RunDirectory, RunRefusedError

PRESET = "paper"
DEFAULT_SEED = 2022  # the random seed of the reference design
SECONDS_BETWEEN_POLLS = 0.5
SECONDS_TO_SAVE = 120.0
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
AVERAGED_STEPS = 20  # effective length of the moving average, in steps of 100 games
PANELS = {"reward": "reward per game", "moves": "moves per game"}

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

    def done(self) -> int:
        """Games played so far."""
        try:
            return RunDirectory(self.directory).status().done
        except RunRefusedError:
            return 0


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
    """The trainings behind some tables, and their results."""

    tables: tuple[Table, ...]
    episodes: int
    directory: Path
    seed: int = DEFAULT_SEED

    def trainings(self) -> list[Training]:
        """All that the tables need, each once, the longest first."""
        found = {
            training.directory: training
            for table in self.tables
            for column in table.columns
            if (training := self.training_of(column)) is not None
        }
        return sorted(found.values(), key=_cost, reverse=True)

    def training_of(self, column: Column) -> Training | None:
        if column.learner is None:
            return None
        settings: Settings = column.settings | {"episodes": self.episodes}
        name = "-".join([column.learner, *map(_part, column.settings.items())])
        return Training(
            directory=self.directory / name,
            learner=column.learner,
            preset=PRESET,
            settings=settings,
            seed=self.seed,
        )

    def check(self) -> None:
        """Raises ValueError if a learner does not have one of the settings."""
        for training in self.trainings():
            read_config(LEARNERS[training.learner], preset=PRESET, sets=training.sets())

    def runs_of(self, table: Table) -> dict[str, RunDirectory]:
        """The runs of a table's agents by their labels."""
        pairs = [(column.label, self.training_of(column)) for column in table.columns]
        return {label: RunDirectory(t.directory) for label, t in pairs if t is not None}

    def results_of(self, column: Column) -> Results:
        """Our results, from the run on disk; exact for the random agent."""
        training = self.training_of(column)
        if training is None:
            return _random_agent_results(column)
        return _run_results(RunDirectory(training.directory))


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


def _part(setting: tuple[str, Json]) -> str:
    return f"{setting[0]}-{setting[1]}".lower()


def _cost(training: Training) -> tuple[bool, bool]:
    """Sorts the longest trainings first, so that all cores stay busy until the end."""
    return (training.settings.get("vectorized") is False, training.learner == "ddqn")


def _random_agent_results(column: Column) -> Results:
    mate, moves = random_agent(compile_game(4))
    draw_reward = column.settings.get("draw_reward", -1.0)
    assert isinstance(draw_reward, float)
    return Results(
        reward=mate + draw_reward * (1 - mate),
        moves=moves,
        draw_percent=100 * (1 - mate),
        mate_percent=100 * mate,
    )


def _run_results(run: RunDirectory) -> Results:
    columns = run.columns()
    games = np.diff(columns["episodes"], prepend=0)
    reward, moves, mate = (
        float(np.average(columns[name], weights=games))
        for name in ("reward", "moves", "mate_percent")
    )
    seconds = sum(line["seconds"] for line in run.timings())
    return Results(
        reward=reward,
        moves=moves,
        draw_percent=100 - mate,
        mate_percent=mate,
        games_per_s=float(games.sum()) / seconds,
        seconds=seconds,
    )


def moving_average(values: NDArray[np.float64], steps: float) -> NDArray[np.float64]:
    """Exponential, normalized so that the first values do not weigh too much."""
    keep = 1 - 1 / steps
    averages, total, weight = np.empty_like(values), 0.0, 0.0
    for i, value in enumerate(values):
        total, weight = keep * total + value, keep * weight + 1
        averages[i] = total / weight
    return averages


def draw_curves(title: str, runs: Mapping[str, RunDirectory], path: Path) -> None:
    """Saves a picture, in the format of the suffix of `path`, with panels for reward and moves."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.4), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(title, fontsize=11)
    panels = figure.subplots(1, len(PANELS))
    for panel, (name, label_y) in zip(panels, PANELS.items(), strict=True):
        for label, run in runs.items():
            columns = run.columns()
            averages = moving_average(columns[name], AVERAGED_STEPS)
            panel.plot(columns["episodes"], averages, label=label, linewidth=1.1)
        panel.set_xlabel("games")
        panel.set_ylabel(label_y)
        panel.grid(alpha=0.3)
        panel.ticklabel_format(axis="x", style="plain")
    panels[0].legend(fontsize=8)
    figure.savefig(path, dpi=110, metadata={"Software": None})
