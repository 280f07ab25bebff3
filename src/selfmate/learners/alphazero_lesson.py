"""What a net of policy and value is taught in one update, shared out among threads."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from selfmate.data.examples import Examples
from selfmate.learners.alphazero_loss import loss_of
from selfmate.nets.crew import Crew
from selfmate.nets.descent import Descent
from selfmate.nets.devices import mixed_precision, placed
from selfmate.nets.se_resnet import SeResNet, chances_of


class Lesson:
    """Examples, in batches that count alike, and what the net said to them before it learned."""

    def __init__(
        self, batches: Sequence[Examples], *, value_weight: float, entropy_bonus: float = 0.0
    ) -> None:
        self._batches = batches
        self._value_weight, self._entropy_bonus = value_weight, entropy_bonus
        self._seen: dict[int, tuple[float, NDArray[np.float64], NDArray[np.float32]]] = {}

    def gradient(self, net: SeResNet, descent: Descent, crew: Crew) -> float:
        """Takes it, and returns its length. On a graphics card a batch is not shared out."""
        count = crew.threads if net.device.type == "cpu" else 1
        shares = [
            (share, len(share) / len(batch) / len(self._batches))
            for batch in self._batches
            for share in batch.shares(count)
        ]
        losses: list[Callable[[], Tensor]] = [
            partial(self._loss, net, number, share, weight)
            for number, (share, weight) in enumerate(shares)
        ]
        return descent.gradient_by(crew, losses)

    def _loss(self, net: SeResNet, number: int, examples: Examples, weight: float) -> Tensor:
        with mixed_precision(net.device):
            logits, value = net(placed(examples.planes, net.device))
        loss = loss_of(logits, value, examples)
        chances = chances_of(value.detach().float()).cpu().numpy()
        self._seen[number] = weight, np.array(loss.figures()), chances
        return weight * loss.total(self._value_weight, self._entropy_bonus)

    def figures(self) -> dict[str, float]:
        """The mean losses and entropy."""
        told = sum(self._seen[number][0] * self._seen[number][1] for number in sorted(self._seen))
        policy, value, entropy = np.asarray(told).tolist()
        return {"policy_loss": policy, "wdl_loss": value, "entropy": entropy}

    def values(self) -> NDArray[np.float32]:
        """How the net judged the positions, -1 to 1 for the side to move."""
        chances = np.concatenate([self._seen[number][2] for number in sorted(self._seen)])
        values: NDArray[np.float32] = chances[:, 0] - chances[:, 2]
        return values
