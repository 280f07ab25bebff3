"""What runs of the mini-chess have learned so far, followed while they are trained."""

from collections.abc import Hashable
from dataclasses import asdict, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

from selfmate.endgame.evaluate import Evaluation, evaluate_policy
from selfmate.endgame.trained import TrainedRun, trained_run
from selfmate.lab.runs_folder import RunsFolder
from selfmate.lab.train.curves import number_of
from selfmate.runs.checkpoints import Checkpoints
from selfmate.runs.directory import RunDirectory

LARGEST_SIZE = 6  # larger boards take long to solve, and to evaluate after every checkpoint
SMALL = 4  # boards on which any policy is evaluated at once
FIGURES = tuple(field.name for field in fields(Evaluation))
REGRET = "exact_regret"  # stands in the lines of a training that have the others as well
MATES = "exact_mate_percent"
CURVES = ("episodes", MATES, "exact_mean_moves", "exact_optimal_move_percent")
MOST_POINTS = 400  # of a curve


class EndgameRun:
    """A topic as well: `endgame:NAME`, what the newest checkpoint has come to."""

    def __init__(self, run: RunDirectory) -> None:
        self._run = run

    def version(self) -> Hashable:
        return self._newest(), self._run.status().state

    def data(self) -> dict[str, Any]:
        learned = self.learned()
        return {
            "name": self._run.path.name,
            "learner": self._run.learner,
            "state": self._run.status().state,
            "step": None if learned is None else learned.step,
            "size": None if learned is None else learned.game.size,
            "evaluation": None if learned is None else self._evaluation(learned),
            "curves": _curves(self._run),
        }

    def learned(self) -> TrainedRun | None:
        """As the newest checkpoint has it, None before there is one. ValueError when this is no
        run of the mini-chess, or one on a larger board than the lab shows."""
        newest = self._newest()
        return None if newest is None else _load(self._run.path, newest)

    def _evaluation(self, learned: TrainedRun) -> dict[str, Any] | None:
        """Of this checkpoint; on larger boards, where policies that go in circles take long, the
        last one that the training itself has made."""
        if learned.game.size <= SMALL:
            return asdict(_evaluate(learned))
        found = None
        for line in self._run.metrics():
            if REGRET in line and (number_of(line.get("step")) or 0) <= learned.step:
                found = {name: line.get(f"exact_{name}") for name in FIGURES}
        return found

    def _newest(self) -> tuple[int, int] | None:
        """The last checkpoint's step and when it was written: a run may be deleted and trained
        again under the same name."""
        checkpoints = Checkpoints(self._run.path)
        for step in reversed(checkpoints.steps()):
            try:
                return step, checkpoints.path(step).stat().st_mtime_ns
            except OSError:  # deleted just now, for there are newer ones
                continue
        return None


class EndgameRuns:
    def __init__(self, runs: RunsFolder) -> None:
        self._runs = runs

    def find(self, name: str) -> EndgameRun:
        return EndgameRun(self._runs.run(name))

    def learned(self, name: str | None) -> TrainedRun | None:
        return None if name is None else self.find(name).learned()


@lru_cache(maxsize=8)
def _load(path: Path, _newest: tuple[int, int]) -> TrainedRun:
    run = RunDirectory(path)
    found = run.checkpoint()
    size = found.card.player.get("size", 0)
    if isinstance(size, int) and size > LARGEST_SIZE:
        raise ValueError(
            f"{path.name} plays on {size} x {size}; the lab shows boards up to {LARGEST_SIZE} x "
            f"{LARGEST_SIZE}, `selfmate endgame evaluate` all"
        )
    return trained_run(run, found)


@lru_cache(maxsize=8)
def _evaluate(learned: TrainedRun) -> Evaluation:
    return evaluate_policy(
        learned.game, learned.actions, gamma=learned.gamma, draw_reward=learned.draw_reward
    )


def _curves(run: RunDirectory) -> dict[str, list[float | None]]:
    """The exact figures over training, where the run has them."""
    rows = [
        [number_of(line.get(name)) for name in CURVES]
        for line in run.metrics()
        if number_of(line.get(MATES)) is not None
    ]
    rows = rows[:: max(1, -(-len(rows) // MOST_POINTS))]
    return {
        name.removeprefix("exact_"): [row[place] for row in rows]
        for place, name in enumerate(CURVES)
    }
