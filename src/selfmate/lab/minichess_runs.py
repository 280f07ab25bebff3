"""Runs of the mini-chess in the Endgame view: exact evaluation, curves, learned values."""

from collections.abc import Hashable, Mapping
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from typing_extensions import TypedDict

from selfmate.lab.run_feed import number_of
from selfmate.lab.runs_folder import RunsFolder
from selfmate.minichess.evaluation import Evaluation, evaluate_policy
from selfmate.minichess.player import TrainedRun, trained_run
from selfmate.runs import Checkpoints, RunDirectory

Ending = Literal["mate", "stalemate"]

ENDINGS: tuple[Ending | None, ...] = (None, "mate", "stalemate")
MAX_SIZE = 6  # larger boards take long to solve, and to evaluate after every checkpoint
SMALL = 4  # boards on which any policy is evaluated at once
EVALUATION_METRICS = tuple(field.name for field in fields(Evaluation))
REGRET = "exact_regret"  # recorded together with the other metrics of an exact evaluation
MATES = "exact_mate_percent"
CURVES = ("episodes", MATES, "exact_mean_moves", "exact_optimal_move_percent")
MAX_POINTS = 400  # of a curve


class MiniEvaluation(TypedDict):
    mate_percent: float | None
    draw_percent: float | None
    never_ending_percent: float | None
    mean_moves: float | None
    optimal_move_percent: float | None
    regret: float | None


class MiniCurves(TypedDict):
    episodes: list[float | None]
    mate_percent: list[float | None]
    mean_moves: list[float | None]
    optimal_move_percent: list[float | None]


class EndgameData(TypedDict):
    """The topic `endgame:RUN`."""

    name: str
    learner: str
    state: str
    step: int | None
    size: int | None
    evaluation: MiniEvaluation | None
    curves: MiniCurves


class EndgameRun:
    """The newest checkpoint of a run, as a topic."""

    def __init__(self, run: RunDirectory) -> None:
        self._run = run

    def version(self) -> Hashable:
        return self._newest(), self._run.status().state

    def data(self) -> EndgameData:
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
        """The newest checkpoint, None before there is one. ValueError when this is not a run of the
        mini-chess, or one on a larger board than the lab shows."""
        newest = self._newest()
        return None if newest is None else _load(self._run.path, newest)

    def _evaluation(self, learned: TrainedRun) -> MiniEvaluation | None:
        """Of this checkpoint. On larger boards, where policies that go in circles take long, the
        last evaluation that the training recorded."""
        if learned.game.size <= SMALL:
            return _mini_evaluation(vars(_evaluate(learned)))
        found = None
        for line in self._run.metrics():
            if REGRET in line and (number_of(line.get("step")) or 0) <= learned.step:
                recorded = {name: line.get(f"exact_{name}") for name in EVALUATION_METRICS}
                found = _mini_evaluation(recorded)
        return found

    def _newest(self) -> tuple[int, int] | None:
        """Step and time of the last checkpoint: a run may be deleted and trained again under the
        same name."""
        checkpoints = Checkpoints(self._run.path)
        for step in reversed(checkpoints.steps()):
            try:
                return step, checkpoints.path(step).stat().st_mtime_ns
            except OSError:  # deleted just now, because there are newer ones
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
    if isinstance(size, int) and size > MAX_SIZE:
        raise ValueError(
            f"{path.name} plays on {size} x {size}; the lab shows boards up to {MAX_SIZE} x "
            f"{MAX_SIZE}, `selfmate endgame evaluate` works for all"
        )
    return trained_run(run, found)


@lru_cache(maxsize=8)
def _evaluate(learned: TrainedRun) -> Evaluation:
    return evaluate_policy(
        learned.game, learned.actions, gamma=learned.gamma, draw_reward=learned.draw_reward
    )


def _mini_evaluation(values: Mapping[str, Any]) -> MiniEvaluation:
    return {
        "mate_percent": number_of(values["mate_percent"]),
        "draw_percent": number_of(values["draw_percent"]),
        "never_ending_percent": number_of(values["never_ending_percent"]),
        "mean_moves": number_of(values["mean_moves"]),
        "optimal_move_percent": number_of(values["optimal_move_percent"]),
        "regret": number_of(values["regret"]),
    }


def _curves(run: RunDirectory) -> MiniCurves:
    """The exact evaluations that the training recorded."""
    rows = [
        [number_of(line.get(name)) for name in CURVES]
        for line in run.metrics()
        if number_of(line.get(MATES)) is not None
    ]
    rows = rows[:: max(1, -(-len(rows) // MAX_POINTS))]
    episodes, mates, moves, optimal = (
        [row[column] for row in rows] for column in range(len(CURVES))
    )
    return {
        "episodes": episodes,
        "mate_percent": mates,
        "mean_moves": moves,
        "optimal_move_percent": optimal,
    }
