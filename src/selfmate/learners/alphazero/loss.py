"""AlphaZero's loss, as training steps compute it, and the validation of a net on held-out games.

For a policy p and a value v of the net, search or master probabilities pi and a result z:

    loss = -sum(pi log p) + value_weight * value_loss(v, z) - entropy_bonus * H(p)

The value loss is the cross-entropy of win, draw and loss, or (z - v)^2 for a scalar value as in
Silver et al. (2018). All values are in the view of the side to move.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import mse_loss

from selfmate.data.examples import Examples
from selfmate.nets.optim import GradientWorkers, Optimizer, placed
from selfmate.nets.resnet import SeResNet, wdl_of
from selfmate.runs import Tick, unwatched

Floats = NDArray[np.float32]
CALIBRATION_BINS = 10


@dataclass(frozen=True, kw_only=True)
class Loss:
    """Means over the positions of a batch."""

    policy: Tensor  # cross-entropy over the legal moves
    value: Tensor  # cross-entropy of WDL, or squared error of a scalar value
    entropy: Tensor  # of the policy over the legal moves, in nats

    def total(self, value_weight: float, entropy_bonus: float) -> Tensor:
        return self.policy + value_weight * self.value - entropy_bonus * self.entropy

    def numbers(self) -> tuple[float, float, float]:
        """Policy loss, value loss and entropy."""
        parts = (self.policy, self.value, self.entropy)
        policy, value, entropy = (float(part.detach()) for part in parts)
        return policy, value, entropy


def loss_of(logits: Tensor, value: Tensor, examples: Examples) -> Loss:
    """For policy logits [B, 4672] and the output of the value head, [B, 3] or [B, 1]."""
    log_policy, legal = legal_log_policy(logits, examples)
    at_legal = log_policy[legal]  # [N]
    targets = torch.from_numpy(examples.policy).to(logits.device)
    wdl = torch.from_numpy(examples.wdl_side_to_move).to(value.device)
    return Loss(
        policy=-(targets * at_legal).sum() / len(examples),
        value=value_loss(value, wdl),
        entropy=-(at_legal.exp() * at_legal).sum() / len(examples),
    )


def legal_log_policy(logits: Tensor, examples: Examples) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    """The log-softmax over legal actions [B, 4672], -inf elsewhere, and the rows and columns of
    the legal actions, [N] each."""
    rows = torch.from_numpy(examples.legal.rows).to(logits.device)
    actions = torch.from_numpy(examples.legal.values.astype(np.int64)).to(logits.device)
    is_legal = torch.zeros_like(logits, dtype=torch.bool)
    is_legal[rows, actions] = True
    masked = logits.float().masked_fill(~is_legal, -torch.inf)
    return torch.log_softmax(masked, 1), (rows, actions)


def value_loss(value: Tensor, wdl: Tensor) -> Tensor:
    """For the output of the value head, [B, 3] or [B, 1], and targets [B, 3]."""
    if value.shape[1] == 1:
        return mse_loss(torch.tanh(value.float()[:, 0]), wdl[:, 0] - wdl[:, 2])
    return -(wdl * torch.log_softmax(value.float(), 1)).sum(1).mean()


class TrainingStep:
    """The gradient of one training step from some batches, which all weigh the same. The work is
    split among threads."""

    def __init__(
        self, batches: Sequence[Examples], *, value_weight: float, entropy_bonus: float = 0.0
    ) -> None:
        self._batches = batches
        self._value_weight, self._entropy_bonus = value_weight, entropy_bonus
        # By number of the part: its weight in the loss, the numbers of its loss, WDL [B, 3].
        self._parts: dict[int, tuple[float, NDArray[np.float64], Floats]] = {}

    def gradient(self, net: SeResNet, optimizer: Optimizer, workers: GradientWorkers) -> float:
        """Computes the clipped gradient. Returns its norm before clipping. On a GPU a batch is not
        split."""
        count = workers.threads if net.device.type == "cpu" else 1
        parts = [
            (part, len(part) / len(batch) / len(self._batches))
            for batch in self._batches
            for part in batch.shares(count)
        ]
        losses: list[Callable[[], Tensor]] = [
            partial(self._loss, net, number, part, weight)
            for number, (part, weight) in enumerate(parts)
        ]
        return optimizer.gradient_in_parallel(workers, losses)

    def update(
        self,
        net: SeResNet,
        optimizer: Optimizer,
        workers: GradientWorkers,
        learning_rate: float,
    ) -> dict[str, float]:
        """Updates the net. Returns metrics: those before the update, and what became of it."""
        norm = self.gradient(net, optimizer, workers)
        optimizer.step(learning_rate)
        if optimizer.loss_scale is None:
            return self.metrics() | {"gradient_norm": norm}
        return self.metrics() | {
            "gradient_norm": 0.0 if optimizer.overflowed else norm,
            "skipped_updates": float(optimizer.overflowed),
            "loss_scale": float(optimizer.loss_scale.factor),
        }

    def _loss(self, net: SeResNet, number: int, examples: Examples, weight: float) -> Tensor:
        logits, value = net(placed(examples.planes, net.device))
        loss = loss_of(logits, value, examples)
        wdl = wdl_of(value.detach()).cpu().numpy()
        self._parts[number] = weight, np.array(loss.numbers()), wdl
        return weight * loss.total(self._value_weight, self._entropy_bonus)

    def metrics(self) -> dict[str, float]:
        """Mean losses and entropy, before the update."""
        parts = [self._parts[number] for number in sorted(self._parts)]
        policy, value, entropy = np.asarray(sum(w * numbers for w, numbers, _ in parts)).tolist()
        return {"policy_loss": policy, "wdl_loss": value, "entropy": entropy}

    def values(self) -> Floats:
        """[B] The net's values of all positions before the update, from -1 to 1."""
        wdl = np.concatenate([self._parts[number][2] for number in sorted(self._parts)])
        values: Floats = wdl[:, 0] - wdl[:, 2]
        return values


@torch.inference_mode()
def validate(
    net: SeResNet, batches: Iterable[Examples], tick: Tick = unwatched
) -> dict[str, float]:
    """Metrics on held-out positions: how often the played move is the net's first choice, and among
    its first five; the losses of policy and value; the accuracy of the likeliest result; and the
    calibration error of WDL."""
    sums, wdl, results = np.zeros(4), list[Floats](), list[Floats]()
    count = 0
    for examples in batches:
        tick(count)
        logits, value = (output.cpu() for output in net(placed(examples.planes, net.device)))
        sums += [*_policy_sums(logits, examples), _value_sum(value, examples)]
        wdl.append(wdl_of(value).numpy())
        results.append(examples.wdl_side_to_move)
        count += len(examples)
    means = dict(zip(("match1", "match5", "policy_loss", "wdl_loss"), sums / count, strict=True))
    predicted, actual = np.concatenate(wdl), np.concatenate(results)
    return {
        **{f"validation_{name}" if "loss" in name else name: float(m) for name, m in means.items()},
        "wdl_accuracy": float((predicted.argmax(1) == actual.argmax(1)).mean()),
        "calibration_error": calibration_error(predicted, actual),
    }


def _policy_sums(logits: Tensor, examples: Examples) -> tuple[int, int, float]:
    """Matches at 1 and at 5, and the policy loss, summed over positions."""
    log_policy, legal = legal_log_policy(logits, examples)
    at_legal = log_policy[legal].numpy()
    played = np.flatnonzero(examples.policy)
    # Ties count as better moves, or a net that is indifferent would seem to match.
    better = at_legal >= np.repeat(at_legal[played], examples.legal.counts)
    ranks = np.add.reduceat(better, examples.legal.offsets[:-1], dtype=np.int64)
    return int((ranks <= 1).sum()), int((ranks <= 5).sum()), -float(at_legal[played].sum())


def _value_sum(value: Tensor, examples: Examples) -> float:
    wdl = torch.from_numpy(examples.wdl_side_to_move)
    return len(examples) * float(value_loss(value, wdl))


def calibration_error(predicted: Floats, actual: Floats) -> float:
    """The expected calibration error (Naeini et al. 2015) over all probabilities [B, 3]: the mean
    distance between predicted probability and observed frequency, in bins of equal width."""
    probabilities, outcomes = predicted.ravel().astype(np.float64), actual.ravel()
    bins = np.minimum((probabilities * CALIBRATION_BINS).astype(np.int64), CALIBRATION_BINS - 1)
    expected = np.bincount(bins, probabilities, CALIBRATION_BINS)
    observed = np.bincount(bins, outcomes, CALIBRATION_BINS)
    return float(np.abs(expected - observed).sum() / len(probabilities))
