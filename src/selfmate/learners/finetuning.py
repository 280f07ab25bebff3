"""Fine-tuning: a net learns the moves of somebody's games, starting from what it knows.

The policy head learns first, then the whole net, the rest of it with a small learning rate. What
counts is how often the net's first choice is the move that was played, in games held out from
training. The family's `finetune` module has the net and its loss.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from selfmate.data.dataset import Chunk, ChunkFolder, ChunkStream
from selfmate.learners.schedule import LearningRateSchedule
from selfmate.runs import Arrays, DiskRun, Header, Json, Policy, Session, Step, Stopwatch, open_run

if TYPE_CHECKING:
    from selfmate.nets.optim import Optimizer
    from selfmate.runs import Run

NAME = "finetune"  # the learner of such runs
# The kind of a net -> the module that tunes it.
MODULES: Mapping[str, str] = MappingProxyType(
    {
        "se_resnet": "selfmate.learners.alphazero.finetune",
        "transformer": "selfmate.learners.searchless.finetune",
    }
)
HEAD_FRACTION = 0.2  # of the training, in which only the policy head learns
REST_RATE = 0.1  # learning rate of the rest of the net, as a fraction of the head's
MAX_HELD_OUT = 20_000  # positions
MATCH_BATCH = 512
NORMAL_95 = 1.96

Hits = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is learned by whom. All of it determines the result."""

    net: str  # full name of the net that learns
    kind: str  # of that net
    config: Mapping[str, Json]  # its configuration, as its card has it
    player: str  # whose moves; "" for all players of the games
    epochs: int
    threads: int
    seed: int


class Tuning(Protocol):
    """A net, its optimizer and the games: a `State` of a run, made by `make_tuning(plan, games)` of
    the family's module."""

    optimizer: "Optimizer"
    schedule: LearningRateSchedule

    def settings(self) -> dict[str, Json]:
        """All settings of the training."""

    def steps(self, run: "Run") -> Iterator[Step]: ...

    def learn(self, step: Step, watch: Stopwatch) -> dict[str, float]:
        """The updates of a step, and their metrics."""

    def matches(self, chunk: Chunk) -> Hits:
        """[N] Whether the first choice among the legal moves is the move that was played."""

    def load_weights(self, weights: Arrays) -> None: ...


@dataclass(frozen=True)
class Interval:
    """A mean with its 95 % interval. Positions of one game are not independent: games are."""

    mean: float
    low: float
    high: float

    @staticmethod
    def of(values: NDArray[Any], games: NDArray[np.int64]) -> "Interval":
        """Of values [N] in clusters, the games [N]: the cluster-robust error of a mean."""
        _, cluster = np.unique(games, return_inverse=True)
        count, mean = int(cluster.max()) + 1, float(values.mean())
        sums = np.bincount(cluster, values - mean)
        if count == 1:
            return Interval(mean, -math.inf, math.inf)
        variance = count / (count - 1) * float(sums @ sums)
        error = NORMAL_95 * math.sqrt(variance) / len(values)
        return Interval(mean, mean - error, mean + error)


@dataclass(frozen=True)
class Report:
    """How often the net's first choice is the move that was played, on held-out games."""

    before: Interval
    after: Interval
    gain: Interval  # of the same positions
    games: int
    positions: int


def make_tuning(plan: Plan, games: ChunkFolder) -> Tuning:
    """ValueError for nets that do not learn moves from games."""
    if plan.kind not in MODULES:
        raise ValueError(
            f"{plan.net} is a {plan.kind}, which does not learn from games: name a net of "
            "alphazero or searchless"
        )
    made: Tuning = import_module(MODULES[plan.kind]).make_tuning(plan, games)
    return made


def open_tuning(plan: Plan, tuning: Tuning, directory: Path, session: Session) -> DiskRun:
    """A run on disk, for `with`."""
    about: dict[str, Json] = {
        "load": plan.net,
        "player": plan.player,
        "head_fraction": HEAD_FRACTION,
        "rest_rate": REST_RATE,
    }
    header = Header(NAME, tuning.settings() | about)
    return open_run(
        directory, header, Policy(checkpoint_every=4, keep_last=2, keep_every=0), session
    )


def tune(tuning: Tuning, run: "Run", held_out: Chunk) -> None:
    """Does what is left of the run. The last step measures the match on held-out games."""
    from selfmate.nets.optim import one_thread

    with one_thread():
        for step in tuning.steps(run):
            watch = Stopwatch()
            is_head_alone = step.start < HEAD_FRACTION * tuning.schedule.total
            tuning.optimizer.slow_rest(0.0 if is_head_alone else REST_RATE)
            metrics = tuning.learn(step, watch)
            score = None
            if step.stop == tuning.schedule.total:
                with watch("validation"):
                    score = metrics["match1"] = float(hits(tuning, held_out).mean())
            step.record(metrics, score, seconds=watch.seconds)


def held_out_positions(games: ChunkFolder) -> Chunk:
    """Of the games held out from training, at most MAX_HELD_OUT, in a fixed random order."""
    stream = ChunkStream(games, "validation", seed=0)
    (chunk,) = stream.take(0, [min(stream.count, MAX_HELD_OUT)])
    return chunk


def hits(tuning: Tuning, chunk: Chunk) -> Hits:
    """[N] As `Tuning.matches`, in batches."""
    starts = range(0, len(chunk), MATCH_BATCH)
    return np.concatenate(
        [tuning.matches(chunk.take(slice(at, at + MATCH_BATCH))) for at in starts]
    )


def report_of(before: Hits, after: Hits, games: NDArray[np.int64]) -> Report:
    """From hits [N] of both nets in the same positions, of these games [N]."""
    old, new = before.astype(np.float64), after.astype(np.float64)
    return Report(
        before=Interval.of(old, games),
        after=Interval.of(new, games),
        gain=Interval.of(new - old, games),
        games=len(np.unique(games)),
        positions=len(games),
    )


def played_moves(chunk: Chunk) -> Chunk:
    """Without the best moves of an analysis: the moves that were played are what is learned."""
    columns = chunk.columns()
    return Chunk(**{**columns, "best_moves": np.zeros_like(columns["best_moves"])})
