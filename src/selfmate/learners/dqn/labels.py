"""Where the labels of imitation come from: files of `selfmate collect`, or the teacher itself, who
labels positions while the net learns them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from selfmate.data.scored_positions import ScoredPositions, joined
from selfmate.data.teacher_data import LabelledBatch, Rows, TeacherDataset, read_positions
from selfmate.learners.dqn.config import PretrainConfig
from selfmate.nets.evaluator import QNetEvaluator
from selfmate.nets.q_net import QNet
from selfmate.runs import Arrays, Json, RunRefusedError, Stopwatch, copied, restore
from selfmate.selfplay.labelled import LabelPlan, LabelStream

BATCHES_PER_STEP = 64
MIN_STEPS_PER_EPOCH = 8  # so that small datasets have a learning curve as well
MAX_VALIDATION_POSITIONS = 1 << 16
VALIDATION_BATCH_SIZE = 4096
CHUNKS_PER_STEP = 16
VALIDATION_CHUNKS = range(1 << 32, (1 << 32) + 4)  # numbers that no training reaches
VALIDATIONS = 20  # of a run without files


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
    """Labels without a file: each step learns a fixed number of new chunks, `label_uses` times.

    The chunks of a step are made during the step before it. Its own games are played with the
    weights that the net had when that step began: `older` once it is over.
    """

    def __init__(self, config: PretrainConfig, net: QNet, stream: LabelStream) -> None:
        self.config, self.net, self.stream = config, net, stream
        self.step_size = BATCHES_PER_STEP * config.batch_size
        self.total = -(-config.positions // self.step_size) * self.step_size
        self.older = copied(net.arrays())
        self._validation: ScoredPositions | None = None

    def batches(
        self, start: int, stop: int, watch: Stopwatch
    ) -> Iterator[tuple[int, LabelledBatch]]:
        now = copied(self.net.arrays())
        self._ask(start, self.older)
        if stop < self.total:
            self._ask(stop, now)
        with watch("waiting_for_labels"):
            positions = joined([self.stream.take(number) for number in self._chunks(start)])
        rng = np.random.default_rng([self.config.seed, start])
        uses, size = self.config.label_uses, self.config.batch_size
        rows = np.concatenate([rng.permutation(len(positions)) for _ in range(uses)])
        for begin in range(0, len(rows), size):
            batch = positions.batch(
                rows[begin : begin + size], sharpness=self.config.target_sharpness
            )
            yield start + begin // uses, batch
        self.older = now

    def _ask(self, start: int, weights: Arrays) -> None:
        """For the chunks of the step from `start`, with these weights for its own games."""
        net = None
        if self.config.own_fraction:
            player = self.net.config.make_net()
            player.take(weights)
            net = QNetEvaluator(player)
        self.stream.ask(self._chunks(start), net)

    def _chunks(self, start: int) -> range:
        """The numbers of the chunks of the step from `start`."""
        first = start // self.step_size * CHUNKS_PER_STEP
        return range(first, first + CHUNKS_PER_STEP)

    def validation(self) -> Iterator[Validation]:
        """The teacher's games alone."""
        if self._validation is None:
            self.stream.ask(VALIDATION_CHUNKS)
            self._validation = joined([self.stream.take(number) for number in VALIDATION_CHUNKS])
        rows = np.arange(len(self._validation))
        for part in np.split(rows, range(VALIDATION_BATCH_SIZE, len(rows), VALIDATION_BATCH_SIZE)):
            yield Validation(
                self._validation.batch(part, sharpness=self.config.target_sharpness),
                self._validation.batch(part, sharpness=1.0).probs,
            )

    def moment(self, start: int, stop: int) -> str:
        """Not after the first step, which has the validation of the untrained net."""
        is_due = VALIDATIONS * stop // self.total > VALIDATIONS * start // self.total
        return f"after {stop:,} positions" if start and is_due else ""

    def metrics(self) -> dict[str, float]:
        return {"label_uses": float(self.config.label_uses)}

    def facts(self) -> Mapping[str, Json]:
        return {}

    def arrays(self) -> Arrays:
        return self.older

    def load(self, facts: Mapping[str, Json], arrays: Arrays) -> None:
        self.stream.forget()
        restore(self.older, arrays)


def label_plan(config: PretrainConfig) -> LabelPlan:
    return LabelPlan(
        seed=config.seed,
        chunk_positions=BATCHES_PER_STEP * config.batch_size // CHUNKS_PER_STEP,
        depth=config.teacher_depth,
        own_fraction=config.own_fraction,
        random_fraction=config.random_fraction,
        endgame_fraction=config.endgame_fraction,
    )
