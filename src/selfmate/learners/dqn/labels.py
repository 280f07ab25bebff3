"""Where the labels of imitation come from: files of `selfmate collect`, or the teacher itself, who
labels positions while the net learns them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from selfmate.data.teacher_data import LabelledBatch, Rows, TeacherDataset, read_positions
from selfmate.learners.dqn.config import PretrainConfig
from selfmate.learners.streamed_labels import BATCHES_PER_STEP, LabelSteps, label_plan
from selfmate.nets.evaluator import QNetEvaluator
from selfmate.nets.q_net import QNet
from selfmate.runs import Arrays, Json, RunRefusedError, Stopwatch
from selfmate.selfplay.labelled import LabelPlan, LabelStream

MIN_STEPS_PER_EPOCH = 8  # so that small datasets have a learning curve as well
MAX_VALIDATION_POSITIONS = 1 << 16
VALIDATION_BATCH_SIZE = 4096


@dataclass(frozen=True)
class Validation:
    """A batch that the net does not learn from, and the teacher's policy as it is [N]: that of the
    batch is sharpened."""

    batch: LabelledBatch
    policy: NDArray[np.float32]


class Labels(Protocol):
    """Labelled positions, counted from the first to the last of the run."""

    total: int  # positions to learn from
    step_size: int  # positions

    def batches(
        self, start: int, stop: int, watch: Stopwatch
    ) -> Iterator[tuple[int, LabelledBatch]]:
        """The batches of the step from `start` to `stop`, each with the number of positions before
        it. Waiting for labels is timed by `watch`."""

    def validation(self) -> Iterator[Validation]: ...

    def moment(self, start: int, stop: int) -> str:
        """When a step ends, in words, if the net is to be validated then; else empty."""

    def metrics(self) -> dict[str, float]:
        """Of the last step."""

    def facts(self) -> Mapping[str, Json]: ...

    def arrays(self) -> Arrays: ...

    def load(self, facts: Mapping[str, Json], arrays: Arrays) -> None:
        """Continues as when `facts` and `arrays` were saved."""


class FileLabels:
    """Labels of files, several times over, in another order each time."""

    def __init__(self, config: PretrainConfig) -> None:
        self.config, self.dataset = config, _read_dataset(config)
        self.total = config.epochs * len(self.dataset.training)
        batches = len(self.dataset.training) // (MIN_STEPS_PER_EPOCH * config.batch_size)
        self.step_size = config.batch_size * min(max(1, batches), BATCHES_PER_STEP)
        self._order = (-1, np.zeros(0, np.int64))  # an epoch and its shuffled rows

    def batches(
        self, start: int, stop: int, watch: Stopwatch
    ) -> Iterator[tuple[int, LabelledBatch]]:
        for begin in range(start, stop, self.config.batch_size):
            end = min(begin + self.config.batch_size, stop)
            yield begin, self.dataset.lesson(self._rows(begin, end))

    def validation(self) -> Iterator[Validation]:
        rows = self.dataset.validation[:MAX_VALIDATION_POSITIONS]
        for part in np.split(rows, range(VALIDATION_BATCH_SIZE, len(rows), VALIDATION_BATCH_SIZE)):
            batch = self.dataset.lesson(part)
            yield Validation(batch, self.dataset.collected_probs(part, batch.legal))

    def moment(self, start: int, stop: int) -> str:
        epochs = stop // len(self.dataset.training)
        return f"epoch {epochs}" if epochs > start // len(self.dataset.training) else ""

    def metrics(self) -> dict[str, float]:
        return {}

    def facts(self) -> Mapping[str, Json]:
        return {"data": self.dataset.digest}

    def arrays(self) -> Arrays:
        return {}

    def load(self, facts: Mapping[str, Json], arrays: Arrays) -> None:
        if facts["data"] != self.dataset.digest:
            raise ValueError("the data are not those that this run was trained on")

    def _rows(self, begin: int, end: int) -> Rows:
        """The rows of one batch, which may span the end of an epoch."""
        size = len(self.dataset.training)
        epochs, places = np.divmod(np.arange(begin, end), size)
        parts = [self._epoch(epoch)[places[epochs == epoch]] for epoch in np.unique(epochs)]
        return np.concatenate(parts)

    def _epoch(self, epoch: int) -> Rows:
        if self._order[0] != epoch:
            rng = np.random.default_rng([self.config.seed, int(epoch)])
            self._order = (epoch, rng.permutation(self.dataset.training))
        return self._order[1]


def _read_dataset(config: PretrainConfig) -> TeacherDataset:
    try:
        return TeacherDataset(
            read_positions(*map(Path, config.data)),
            validation=config.validation_fraction,
            sharpness=config.target_sharpness,
            seed=config.seed,
        )
    except (OSError, ValueError) as error:
        raise RunRefusedError(f"the data cannot be used: {error}") from error


class StreamedLabels:
    """Labels without a file: each step learns new positions, `label_uses` times."""

    def __init__(self, config: PretrainConfig, net: QNet, stream: LabelStream) -> None:
        self.config, self.net = config, net
        self.steps = LabelSteps(
            config, config.positions, plan_of(config), stream, net, self._evaluator
        )
        self.total, self.step_size = self.steps.total, self.steps.step_size

    def batches(
        self, start: int, stop: int, watch: Stopwatch
    ) -> Iterator[tuple[int, LabelledBatch]]:
        for each in self.steps.batches(start, stop, self.config.batch_size, watch):
            sharpness = self.config.target_sharpness
            yield each.done, each.positions.batch(each.rows, sharpness=sharpness)

    def _evaluator(self, weights: Arrays) -> QNetEvaluator:
        player = self.net.config.make_net()
        player.take(weights)
        return QNetEvaluator(player)

    def validation(self) -> Iterator[Validation]:
        """The teacher's games alone."""
        positions = self.steps.validation()
        rows = np.arange(len(positions))
        for part in np.split(rows, range(VALIDATION_BATCH_SIZE, len(rows), VALIDATION_BATCH_SIZE)):
            yield Validation(
                positions.batch(part, sharpness=self.config.target_sharpness),
                positions.batch(part, sharpness=1.0).probs,
            )

    def moment(self, start: int, stop: int) -> str:
        """Not after the first step, which has the validation of the untrained net."""
        return f"after {stop:,} positions" if self.steps.is_validated(start, stop) else ""

    def metrics(self) -> dict[str, float]:
        return {"label_uses": float(self.config.label_uses)}

    def facts(self) -> Mapping[str, Json]:
        return {}

    def arrays(self) -> Arrays:
        return self.steps.older

    def load(self, facts: Mapping[str, Json], arrays: Arrays) -> None:
        self.steps.load(arrays)


def plan_of(config: PretrainConfig) -> LabelPlan:
    return label_plan(config, seed=config.seed, batch_size=config.batch_size)
