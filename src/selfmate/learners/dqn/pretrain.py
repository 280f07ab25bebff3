"""Imitation: a Q-net learns the moves and the values of a teacher.

The policy softmax(Q / T) over the legal moves is fitted to the teacher's probabilities by
cross-entropy. That determines only differences of Q, so Q of the teacher's best move is also
regressed on the teacher's value of the position: fine-tuning starts from meaningful values.
"""

import math
from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from selfmate.arena.gating import Evaluation, evaluation_metrics
from selfmate.data.teacher_data import LabelledBatch
from selfmate.learners.dqn.config import PretrainConfig
from selfmate.learners.dqn.labels import (
    FileLabels,
    Labels,
    StreamedLabels,
    Validation,
    plan_of,
)
from selfmate.nets.config import QNetConfig
from selfmate.nets.optim import Optimizer, one_thread
from selfmate.nets.q_net import QNet
from selfmate.nets.sparse import log_softmax
from selfmate.players.network import QPlayer
from selfmate.rules import Ragged, best_places
from selfmate.runs import (
    Arrays,
    Run,
    SavedState,
    Step,
    Stopwatch,
    Tick,
    copied,
    restore,
    split_prefix,
    unwatched,
    with_prefix,
)
from selfmate.selfplay.labelled import LabelStream

LADDER = ("random", "greedy", "teacher:depth=1", "teacher:depth=2")  # of the evaluation


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
    """Cross-entropy of the policy, and mean squared error of the values."""
    logs = log_softmax(values / config.temperature, batch.legal.offsets)
    targets = torch.from_numpy(smoothed(batch.probs, batch.legal, config.label_smoothing))
    policy = -(targets * logs).sum() / len(batch.legal)
    places = torch.from_numpy(value_places(values.detach().numpy(), batch, config))
    errors = values[places] - torch.from_numpy(batch.values)
    return policy, errors.square().mean()


def value_places(
    values: NDArray[np.float32], batch: LabelledBatch, config: PretrainConfig
) -> NDArray[np.int64]:
    """[B] The actions whose Q the teacher's value is for: its best ones. In a dueling net the
    largest Q is V, whichever action has it."""
    return best_places(values, batch.legal.offsets) if config.dueling else batch.best


class Imitation:
    """A net and its labels: the `State` of a run."""

    def __init__(self, config: PretrainConfig, net: QNet, labels: Labels) -> None:
        self.config, self.net, self.labels = config, net, labels
        self.adam = Optimizer.adam(net, config.max_grad_norm)
        self.player = QPlayer("learner", net)
        self.evaluation = Evaluation(
            opponents=LADDER, games=config.evaluation_games, seed=config.seed
        )

    def steps(self, run: Run) -> Iterator[Step]:
        return run.steps(
            self,
            total=self.labels.total,
            unit="positions",
            size=self.labels.step_size,
            player=self.net.config.model_dump(mode="json"),
        )

    def study(
        self, start: int, stop: int, watch: Stopwatch, tick: Tick = unwatched
    ) -> dict[str, float]:
        """Learns the positions of the step from `start` to `stop`."""
        losses = []
        for done, batch in self.labels.batches(start, stop, watch):
            with watch("learning"):
                losses.append(self.update(batch, 1 - done / self.labels.total))
            tick(done - start)
        policy, value, norm = np.mean(losses, axis=0)
        metrics = {"policy_loss": policy, "value_loss": value, "gradient_norm": norm}
        return metrics | self.labels.metrics()

    def update(self, batch: LabelledBatch, left: float) -> tuple[float, float, float]:
        values = self.net(batch.packed, batch.legal)
        policy, value = imitation_loss(values, batch, self.config)
        norm = self.adam.gradient(policy + self.config.value_weight * value)
        self.adam.step(self.config.learning_rate * (1 - math.cos(math.pi * left)) / 2)
        return float(policy.detach()), float(value.detach()), norm

    def validate(self, tick: Tick = unwatched) -> dict[str, float]:
        """How often the teacher's best move is the net's first, and among its first three; KL
        divergence of the net from the teacher's policy as it is and as sharpened for training, and
        squared error of the values."""
        found, positions = list[NDArray[np.float64]](), 0
        for each in self.labels.validation():
            tick(positions)
            found.append(self._validate(each))
            positions += len(each.batch.legal)
        sums = np.sum(found, axis=0) / positions
        names = ("match1", "match3", "kl", "kl_sharpened", "value_mse")
        return dict(zip(names, sums.tolist(), strict=True))

    @torch.inference_mode()
    def _validate(self, held_out: Validation) -> NDArray[np.float64]:
        batch = held_out.batch
        values = self.net(batch.packed, batch.legal)
        logs = log_softmax(values / self.config.temperature, batch.legal.offsets).numpy()
        found = values.numpy()
        # Ties count as better, or a net with equal values for all moves would score full marks.
        better = found >= np.repeat(found[batch.best], batch.legal.counts)
        ranks = np.add.reduceat(better, batch.legal.offsets[:-1], dtype=np.int64)
        kl, kl_sharpened = divergence(held_out.policy, logs), divergence(batch.probs, logs)
        mse = np.square(found[value_places(found, batch, self.config)] - batch.values).sum()
        return np.array([(ranks <= 1).sum(), (ranks <= 3).sum(), kl, kl_sharpened, mse])

    def evaluate(self, step: Step) -> dict[str, float]:
        tick = step.part("evaluation", self.evaluation.all_games, "games")
        return evaluation_metrics(self.evaluation.reports(self.player, tick))

    def save(self) -> SavedState:
        rest = with_prefix(adam=self.adam.arrays(), labels=self.labels.arrays())
        return SavedState(
            weights=copied(self.net.arrays()), rest=copied(rest), facts=self.labels.facts()
        )

    def load(self, saved: SavedState) -> None:
        parts = split_prefix(saved.rest)
        self.labels.load(saved.facts, parts.get("labels", {}))
        self.load_weights(saved.weights)
        restore(self.adam.arrays(), parts["adam"])

    def load_weights(self, weights: Arrays) -> None:
        restore(self.net.arrays(), weights)


def train(config: PretrainConfig, run: Run) -> None:
    torch.manual_seed(config.seed)
    net = QNetConfig.of(config).make_net()
    if config.data:
        learn(Imitation(config, net, FileLabels(config)), run)
        return
    with LabelStream(plan_of(config)) as stream:
        learn(Imitation(config, net, StreamedLabels(config, net, stream)), run)


def learn(imitation: Imitation, run: Run) -> None:
    with one_thread():
        for step in imitation.steps(run):
            learn_step(imitation, step)


def learn_step(imitation: Imitation, step: Step) -> None:
    before, watch = dict[str, float](), Stopwatch()
    if step.number == 1:
        before = imitation.validate()
        step.say(_sentence("before it learned", before))
    tick = step.part("learning", step.stop - step.start, "positions")
    metrics = imitation.study(step.start, step.stop, watch, tick)
    with watch("evaluation"):
        if moment := imitation.labels.moment(step.start, step.stop):
            metrics |= imitation.validate()
            step.say(_sentence(moment, metrics))
            metrics |= imitation.evaluate(step)
    step.record(before | metrics, metrics.get("match1"), seconds=watch.seconds)


def _sentence(when: str, metrics: dict[str, float]) -> str:
    """A validation in words, with the training loss of the step if there was one."""
    loss = f", loss {metrics['policy_loss']:.3f}" if "policy_loss" in metrics else ""
    return (
        f"{when}: match@1 {100 * metrics['match1']:.1f} %, match@3 {100 * metrics['match3']:.1f} %,"
        f" KL {metrics['kl']:.3f}, value MSE {metrics['value_mse']:.4f}{loss}"
    )
