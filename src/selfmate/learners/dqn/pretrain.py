"""Imitation: a Q-net learns the moves and the values of a teacher.

The policy softmax(Q / T) over the legal moves is fitted to the teacher's probabilities by
cross-entropy. That determines only differences of Q, so Q of the teacher's best move is also
regressed on the teacher's value of the position: fine-tuning starts from meaningful values.
"""

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from selfmate.data.teacher_data import LabelledBatch, TeacherDataset, read_positions
from selfmate.learners.dqn.config import PretrainConfig
from selfmate.nets.config import QNetConfig
from selfmate.nets.optim import Optimizer, one_thread
from selfmate.nets.sparse import log_softmax
from selfmate.rules import Ragged
from selfmate.runs import (
    Arrays,
    Run,
    RunRefusedError,
    SavedState,
    Step,
    Tick,
    copied,
    restore,
    unwatched,
    with_prefix,
)

BATCHES_PER_STEP = 64
MIN_STEPS_PER_EPOCH = 8  # so that small datasets have a learning curve as well
MAX_VALIDATION_POSITIONS = 1 << 16
VALIDATION_BATCH_SIZE = 4096
Rows = NDArray[np.int64]


def smoothed(probs: NDArray[np.float32], legal: Ragged, mass: float) -> NDArray[np.float32]:
    """Label smoothing: a probability mass is spread uniformly over the legal actions."""
    uniform = np.repeat(mass / legal.counts, legal.counts).astype(np.float32)
    return np.float32(1 - mass) * probs + uniform


def divergence(probs: NDArray[np.float32], logs: NDArray[np.float32]) -> float:
    """KL(probs || exp(logs)) in nats, summed over positions, whose actions stand end to end."""
    log_probs = np.log(np.where(probs > 0, probs, 1))
    return float((probs * (log_probs - logs)).sum())


def imitation_loss(
    values: Tensor, batch: LabelledBatch, config: PretrainConfig
) -> tuple[Tensor, Tensor]:
    """Cross-entropy of the policy, and mean squared error of the best moves' values."""
    logs = log_softmax(values / config.temperature, batch.legal.offsets)
    targets = torch.from_numpy(smoothed(batch.probs, batch.legal, config.label_smoothing))
    policy = -(targets * logs).sum() / len(batch.legal)
    errors = values[torch.from_numpy(batch.best)] - torch.from_numpy(batch.values)
    return policy, errors.square().mean()


class Imitation:
    """A net and its training data: the `State` of a run."""

    def __init__(self, config: PretrainConfig, dataset: TeacherDataset) -> None:
        self.config, self.dataset = config, dataset
        self.player = QNetConfig.of(config)
        torch.manual_seed(config.seed)
        self.net = self.player.make_net()
        self.adam = Optimizer.adam(self.net, config.max_grad_norm)
        self.total = config.epochs * len(dataset.training)
        self._order = (-1, np.zeros(0, np.int64))  # an epoch and its shuffled rows

    def steps(self, run: Run) -> Iterator[Step]:
        return run.steps(
            self,
            total=self.total,
            unit="positions",
            size=self.step_size(),
            player=self.player.model_dump(mode="json"),
        )

    def step_size(self) -> int:
        """Positions per step, in whole batches."""
        batches = len(self.dataset.training) // (MIN_STEPS_PER_EPOCH * self.config.batch_size)
        return self.config.batch_size * min(max(1, batches), BATCHES_PER_STEP)

    def study(self, start: int, stop: int, tick: Tick = unwatched) -> dict[str, float]:
        """Learns from the positions `start` to `stop`, counted over all epochs."""
        losses = []
        for begin in range(start, stop, self.config.batch_size):
            end = min(begin + self.config.batch_size, stop)
            losses.append(self.update(self._rows(begin, end), 1 - begin / self.total))
            tick(end - start)
        policy, value, norm = np.mean(losses, axis=0)
        return {"policy_loss": policy, "value_loss": value, "gradient_norm": norm}

    def update(self, rows: Rows, left: float) -> tuple[float, float, float]:
        batch = self.dataset.lesson(rows)
        values = self.net(batch.inputs, batch.legal)
        policy, value = imitation_loss(values, batch, self.config)
        norm = self.adam.gradient(policy + self.config.value_weight * value)
        self.adam.step(self.config.learning_rate * (1 - math.cos(math.pi * left)) / 2)
        return float(policy.detach()), float(value.detach()), norm

    def ends_epoch(self, step: Step) -> bool:
        return self.epochs_done(step) > step.start // len(self.dataset.training)

    def epochs_done(self, step: Step) -> int:
        return step.stop // len(self.dataset.training)

    def validate(self, step: Step | None = None) -> dict[str, float]:
        """How often the teacher's best move is the net's first, and among its first three; KL
        divergence of the net from the teacher's policy as collected and as sharpened for training,
        and squared error of the values."""
        rows = self.dataset.validation[:MAX_VALIDATION_POSITIONS]
        tick = step.part("validation", len(rows), "positions") if step else unwatched
        found = list[NDArray[np.float64]]()
        for begin in range(0, len(rows), VALIDATION_BATCH_SIZE):
            tick(begin)
            found.append(self._validate(rows[begin : begin + VALIDATION_BATCH_SIZE]))
        sums = np.sum(found, axis=0) / len(rows)
        names = ("match1", "match3", "kl", "kl_sharpened", "value_mse")
        return dict(zip(names, sums.tolist(), strict=True))

    @torch.inference_mode()
    def _validate(self, rows: Rows) -> NDArray[np.float64]:
        batch = self.dataset.lesson(rows)
        values = self.net(batch.inputs, batch.legal)
        logs = log_softmax(values / self.config.temperature, batch.legal.offsets).numpy()
        found = values.numpy()
        # Ties count as better, or a net with equal values for all moves would score full marks.
        better = found >= np.repeat(found[batch.best], batch.legal.counts)
        ranks = np.add.reduceat(better, batch.legal.offsets[:-1], dtype=np.int64)
        kl = divergence(self.dataset.collected_probs(rows, batch.legal), logs)
        kl_sharpened = divergence(batch.probs, logs)
        mse = np.square(found[batch.best] - batch.values).sum()
        return np.array([(ranks <= 1).sum(), (ranks <= 3).sum(), kl, kl_sharpened, mse])

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

    def save(self) -> SavedState:
        return SavedState(
            weights=copied(self.net.arrays()),
            rest=copied(with_prefix(adam=self.adam.arrays())),
            facts={"data": self.dataset.digest},
        )

    def load(self, saved: SavedState) -> None:
        if saved.facts["data"] != self.dataset.digest:
            raise ValueError("the data are not those that this run was trained on")
        self.load_weights(saved.weights)
        restore(with_prefix(adam=self.adam.arrays()), saved.rest)

    def load_weights(self, weights: Arrays) -> None:
        restore(self.net.arrays(), weights)


def train(config: PretrainConfig, run: Run) -> None:
    imitation = Imitation(config, read_dataset(config))
    with one_thread():
        for step in imitation.steps(run):
            before = imitation.validate(step) if step.number == 1 else {}
            if before:
                step.say(_sentence("before the first epoch", before))
            tick = step.part("learning", step.stop - step.start, "positions")
            metrics = imitation.study(step.start, step.stop, tick)
            if imitation.ends_epoch(step):
                metrics |= imitation.validate(step)
                step.say(_sentence(f"epoch {imitation.epochs_done(step)}", metrics))
            step.record(before | metrics, metrics.get("match1"))


def _sentence(when: str, metrics: dict[str, float]) -> str:
    """A validation in words, with the training loss of the step if there was one."""
    loss = f", loss {metrics['policy_loss']:.3f}" if "policy_loss" in metrics else ""
    return (
        f"{when}: match@1 {100 * metrics['match1']:.1f} %, match@3 {100 * metrics['match3']:.1f} %,"
        f" KL {metrics['kl']:.3f}, value MSE {metrics['value_mse']:.4f}{loss}"
    )


def read_dataset(config: PretrainConfig) -> TeacherDataset:
    if not config.data:
        raise RunRefusedError("there are no data: name files of selfmate collect with --data")
    try:
        return TeacherDataset(
            read_positions(*map(Path, config.data)),
            validation=config.validation_fraction,
            sharpness=config.target_sharpness,
            seed=config.seed,
        )
    except (OSError, ValueError) as error:
        raise RunRefusedError(f"the data cannot be used: {error}") from error
