"""The mini-chess seed's tables again: its figures beside ours, trained by its own listings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np

from selfmate.endgame.game import compile_game
from selfmate.endgame.solve import random_agent
from selfmate.experiments.seed_tables import Column, Figures, Settings, Table
from selfmate.experiments.trainings import Training
from selfmate.learners import LEARNERS
from selfmate.learners.config import read_config
from selfmate.runs.directory import RunDirectory
from selfmate.runs.run import Json

PRESET = "paper"
SEED = 2022  # the seed's own


@dataclass(frozen=True, kw_only=True)
class Reproduction:
    """Which tables, how long, where."""

    tables: tuple[Table, ...]
    episodes: int
    directory: Path
    seed: int = SEED

    def trainings(self) -> list[Training]:
        """Those the tables need, each once, the longest first."""
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
        """ValueError where a setting is none of the learner's."""
        for training in self.trainings():
            read_config(LEARNERS[training.learner], preset=PRESET, sets=training.sets())

    def runs_of(self, table: Table) -> dict[str, RunDirectory]:
        """The runs of a table's agents by their labels."""
        pairs = [(column.label, self.training_of(column)) for column in table.columns]
        return {label: RunDirectory(t.directory) for label, t in pairs if t is not None}

    def figures_of(self, column: Column) -> Figures:
        """Ours, from the run on disk; the random agent's are exact."""
        training = self.training_of(column)
        if training is None:
            return _of_random_agent(column)
        return _of_run(RunDirectory(training.directory))


def with_grid(table: Table, grid: Mapping[str, Sequence[str]]) -> Table:
    """The table's last agent with other values of some settings: nothing to compare them with."""
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
    """What takes longest comes first, so that all cores are busy until the end."""
    return (training.settings.get("vectorized") is False, training.learner == "ddqn")


def _of_random_agent(column: Column) -> Figures:
    mate, moves = random_agent(compile_game(4))
    draw_reward = column.settings.get("draw_reward", -1.0)
    assert isinstance(draw_reward, float)
    return Figures(
        reward=mate + draw_reward * (1 - mate),
        moves=moves,
        draw_percent=100 * (1 - mate),
        mate_percent=100 * mate,
    )


def _of_run(run: RunDirectory) -> Figures:
    columns = run.columns()
    games = np.diff(columns["episodes"], prepend=0)
    reward, moves, mate = (
        float(np.average(columns[name], weights=games))
        for name in ("reward", "moves", "mate_percent")
    )
    seconds = sum(line["seconds"] for line in run.timings())
    return Figures(
        reward=reward,
        moves=moves,
        draw_percent=100 - mate,
        mate_percent=mate,
        games_per_s=float(games.sum()) / seconds,
        seconds=seconds,
    )
