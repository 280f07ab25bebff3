"""The loss of Double DQN for a batch of transitions, and what is measured on the way to it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from selfmate.rules import Ragged

EXPLOSION = 1e4  # a loss or a gradient norm beyond this is noise
LOGGED = ("loss", "gradient_norm", "entropy", "td_error")  # of every update
EMA_WEIGHT = 0.01  # of the newest update in a moving average: about the last hundred count
Floats = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class Loss:
    """The loss of a batch, and metrics on the way to it."""

    td: Tensor
    imitation: Tensor
    imitation_weight: float
    errors: Floats  # [B] TD errors
    policy_metrics: dict[str, float]

    @property
    def total(self) -> Tensor:
        return self.td + self.imitation_weight * self.imitation

    def metrics(self) -> dict[str, float]:
        return {
            "loss": float(self.total.detach()),
            "td_loss": float(self.td.detach()),
            "imitation_loss": float(self.imitation.detach()),
            "td_error": float(np.abs(self.errors).mean()),
            **self.policy_metrics,
        }


class MovingAverages:
    """Exponential moving averages of what updates report: m += EMA_WEIGHT * (x - m), from the first
    x on."""

    def __init__(self) -> None:
        self.values: dict[str, float] = {}

    def add(self, metrics: Mapping[str, float]) -> None:
        for name in LOGGED:
            before = self.values.get(name, metrics[name])
            self.values[name] = before + EMA_WEIGHT * (metrics[name] - before)

    def metrics(self) -> dict[str, float]:
        return {f"{name}_ema": self.values[name] for name in LOGGED if name in self.values}


def is_sound(loss: float, norm: float) -> bool:
    return math.isfinite(loss) and math.isfinite(norm) and max(abs(loss), norm) < EXPLOSION


def places(legal: Ragged, actions: NDArray[np.int16]) -> NDArray[np.int64]:
    """Indices of one action per row among all legal ones; rows with the action -1 have none."""
    return np.flatnonzero(legal.values == np.repeat(actions, legal.counts))


def policy_metrics(q_values: Tensor, log_policy: Tensor, legal: Ragged) -> dict[str, float]:
    """Entropy of the policy, and mean and spread of the positions' values."""
    values, logs = np.maximum.reduceat(q_values.numpy(), legal.offsets[:-1]), log_policy.numpy()
    entropy = -np.add.reduceat(np.exp(logs) * logs, legal.offsets[:-1])
    return {
        "entropy": float(entropy.mean()),
        "ln_legal": float(np.log(legal.counts).mean()),
        "value_mean": float(values.mean()),
        "value_spread": float(values.std()),
    }
