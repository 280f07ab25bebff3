"""Imitation: a Q-net learns to choose, and to value, as a teacher does.

The policy is softmax(Q / T) over the legal moves and follows the teacher's probabilities. That
settles only differences of Q; so Q of the teacher's best move is also drawn to the teacher's value
of the position, and fine-tuning starts from values that mean something.
"""

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from selfmate.data.lessons import Lesson, Teachings
from selfmate.data.positions import read_positions
from selfmate.learners.pretrain_dqn_config import Config
from selfmate.nets.descent import Descent
from selfmate.nets.ragged import log_softmax
from selfmate.nets.threads import one_thread
from selfmate.players.q_player import QPlayerSpec
from selfmate.rules.ragged import Ragged
from selfmate.runs.errors import RunRefusedError
from selfmate.runs.live import copied, prefixed, restore
from selfmate.runs.run import Arrays, Run, Saved, Step

BATCHES_PER_STEP = 64
STEPS_PER_EPOCH = 8  # at least, so that little data have a curve as well
MOST_VALIDATED = 1 << 16  # positions
Rows = NDArray[np.int64]


def smoothed(probs: NDArray[np.float32], legal: Ragged, share: float) -> NDArray[np.float32]:
    """A share of every target goes to all legal actions alike."""
    even = np.repeat(share / legal.counts, legal.counts).astype(np.float32)
    return np.float32(1 - share) * probs + even


def imitation_loss(values: Tensor, lesson: Lesson, config: Config) -> tuple[Tensor, Tensor]:
    """Cross-entropy of the policy, and mean squared error of the best actions' values."""
    logs = log_softmax(values / config.temperature, lesson.legal.offsets)
    targets = torch.from_numpy(smoothed(lesson.probs, lesson.legal, config.smoothing))
    policy = -(targets * logs).sum() / len(lesson.legal)
    errors = values[torch.from_numpy(lesson.best)] - torch.from_numpy(lesson.values)
    return policy, errors.square().mean()


class Imitation:
    """A net and what it is taught: a `State` of a run."""

    def __init__(self, config: Config, teachings: Teachings) -> None:
        self.config, self.teachings = config, teachings
        self.player = QPlayerSpec(hidden=config.hidden, dueling=config.dueling)
        torch.manual_seed(config.seed)
        self.net = self.player.make_net()
        self.adam = Descent.adam(self.net, config.most_norm)
        self.total = config.epochs * len(teachings.training)
        self._order = (-1, np.zeros(0, np.int64))  # of an epoch

    def steps(self, run: Run) -> Iterator[Step]:
        return run.steps(
            self,
            total=self.total,
            unit="positions",
            size=self.step_size(),
            player=self.player.model_dump(mode="json"),
        )

    def step_size(self) -> int:
        """Positions, in whole batches."""
        batches = len(self.teachings.training) // (STEPS_PER_EPOCH * self.config.batch)
        return self.config.batch * min(max(1, batches), BATCHES_PER_STEP)

    def study(self, start: int, stop: int) -> dict[str, float]:
        """Learns from the positions `start` to `stop`, counted over all epochs."""
        losses = []
        for begin in range(start, stop, self.config.batch):
            end = min(begin + self.config.batch, stop)
            losses.append(self.update(self._rows(begin, end), 1 - begin / self.total))
        policy, value, norm = np.mean(losses, axis=0)
        return {"policy_loss": policy, "value_loss": value, "gradient_norm": norm}

    def update(self, rows: Rows, left: float) -> tuple[float, float, float]:
        lesson = self.teachings.lesson(rows)
        values = self.net(lesson.inputs, lesson.legal)
        policy, value = imitation_loss(values, lesson, self.config)
        norm = self.adam.gradient(policy + self.config.value_weight * value)
        self.adam.step(self.config.learning_rate * (1 - math.cos(math.pi * left)) / 2)
        return float(policy.detach()), float(value.detach()), norm

    def ends_epoch(self, step: Step) -> bool:
        return self.epochs_done(step) > step.start // len(self.teachings.training)

    def epochs_done(self, step: Step) -> int:
        return step.stop // len(self.teachings.training)

    def validate(self) -> dict[str, float]:
        """How often the teacher's best move is the first, and among the first three, of the net's;
        how far its policy is from the teacher's, and its values."""
        rows = self.teachings.validation[:MOST_VALIDATED]
        parts = [rows[i : i + 4096] for i in range(0, len(rows), 4096)]
        sums = np.sum([self._validate(part) for part in parts], axis=0) / len(rows)
        return dict(zip(("match1", "match3", "kl", "value_mse"), sums.tolist(), strict=True))

    @torch.inference_mode()
    def _validate(self, rows: Rows) -> NDArray[np.float64]:
        lesson = self.teachings.lesson(rows)
        values = self.net(lesson.inputs, lesson.legal)
        logs = log_softmax(values / self.config.temperature, lesson.legal.offsets).numpy()
        found = values.numpy()
        # Equals count as better, or a net that says the same of all moves would seem to know.
        better = found >= np.repeat(found[lesson.best], lesson.legal.counts)
        ranks = np.add.reduceat(better, lesson.legal.offsets[:-1], dtype=np.int64)
        taught = np.log(np.where(lesson.probs > 0, lesson.probs, 1))
        kl = (lesson.probs * (taught - logs)).sum()
        mse = np.square(found[lesson.best] - lesson.values).sum()
        return np.array([(ranks <= 1).sum(), (ranks <= 3).sum(), kl, mse])

    def _rows(self, begin: int, end: int) -> Rows:
        """Those of one batch; the last of an epoch may end with the first of the next."""
        size = len(self.teachings.training)
        epochs, places = np.divmod(np.arange(begin, end), size)
        parts = [self._epoch(epoch)[places[epochs == epoch]] for epoch in np.unique(epochs)]
        return np.concatenate(parts)

    def _epoch(self, epoch: int) -> Rows:
        if self._order[0] != epoch:
            dice = np.random.default_rng([self.config.seed, int(epoch)])
            self._order = (epoch, dice.permutation(self.teachings.training))
        return self._order[1]

    def save(self) -> Saved:
        return Saved(
            weights=copied(self.net.arrays()),
            rest=copied(prefixed(adam=self.adam.arrays())),
            facts={"data": self.teachings.digest},
        )

    def load(self, saved: Saved) -> None:
        if saved.facts["data"] != self.teachings.digest:
            raise ValueError("the data are not those that it was taught with")
        self.load_weights(saved.weights)
        restore(prefixed(adam=self.adam.arrays()), saved.rest)

    def load_weights(self, weights: Arrays) -> None:
        restore(self.net.arrays(), weights)


def train(config: Config, run: Run) -> None:
    imitation = Imitation(config, read_teachings(config))
    with one_thread():
        for step in imitation.steps(run):
            before = imitation.validate() if step.number == 1 else {}
            if before:
                step.say(_sentence("before the first epoch", before))
            figures = imitation.study(step.start, step.stop)
            if imitation.ends_epoch(step):
                figures |= imitation.validate()
                step.say(_sentence(f"epoch {imitation.epochs_done(step)}", figures))
            step.record(before | figures, figures.get("match1"))


def _sentence(when: str, figures: dict[str, float]) -> str:
    """What a validation came to, and the loss of the step before it, if there was one."""
    loss = f", loss {figures['policy_loss']:.3f}" if "policy_loss" in figures else ""
    return (
        f"{when}: match@1 {100 * figures['match1']:.1f} %, match@3 {100 * figures['match3']:.1f} %,"
        f" KL {figures['kl']:.3f}, value MSE {figures['value_mse']:.4f}{loss}"
    )


def read_teachings(config: Config) -> Teachings:
    if not config.data:
        raise RunRefusedError("there are no data: name files of selfmate collect with --data")
    try:
        return Teachings(
            read_positions(*map(Path, config.data)),
            validation=config.validation,
            sharpness=config.sharpness,
            seed=config.seed,
        )
    except (OSError, ValueError) as error:
        raise RunRefusedError(f"the data cannot be used: {error}") from error
