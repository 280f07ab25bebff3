"""What a net that does not know the rules is taught in one update, shared out among threads."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from selfmate.data.attempted_games import AttemptedGames
from selfmate.learners.searchless_targets import Asked, Targets
from selfmate.nets.crew import Crew
from selfmate.nets.descent import Descent
from selfmate.nets.transformer import Transformer
from selfmate.rules.ragged import Ragged

SHARE_ROWS = 32  # positions that a thread has in memory

TargetsOf = Callable[[Asked], Targets]


class Lesson:
    """Positions, and what the net said to them before it learned."""

    def __init__(
        self, games: AttemptedGames, targets_of: TargetsOf, *, weight: float = 1.0
    ) -> None:
        self._games, self._targets_of, self._weight = games, targets_of, weight
        self._datapoints = len(games) + len(games.tried.values)
        self._told: dict[int, NDArray[np.float64]] = {}

    def losses(self, net: Transformer) -> list[Callable[[], Tensor]]:
        """One of each share; their sum is the mean over the datapoints, times the weight."""
        rows = np.arange(len(self._games))
        shares = np.split(rows, range(SHARE_ROWS, len(rows), SHARE_ROWS))
        return [partial(self._loss, net, at, share) for at, share in enumerate(shares)]

    def _loss(self, net: Transformer, at: int, rows: NDArray[np.int64]) -> Tensor:
        games = self._games.take(rows)
        sentences = games.sentences()
        logs = torch.log_softmax(net(torch.from_numpy(sentences.tokens).long()), 1)
        said = policy_of(logs.detach().numpy(), sentences.legal)
        targets = self._targets_of(Asked(games, sentences.legal, said.policy))
        losses = -(torch.from_numpy(targets.shares) * logs).sum(1)
        loss = (torch.from_numpy(targets.datapoints) * losses).sum() / self._datapoints
        self._told[at] = np.array(
            [
                float(loss.detach()),
                said.mass.sum() / len(self._games),
                targets.legal_mass.sum() / len(self._games),
                said.entropy.sum() / len(self._games),
                np.log(sentences.legal.counts).sum() / len(self._games),
            ]
        )
        return self._weight * loss

    def figures(self) -> dict[str, float]:
        """Means over the positions; the loss, over the datapoints."""
        sums = np.sum([self._told[at] for at in sorted(self._told)], axis=0)
        names = ("loss", "learned_legal_mass", "target_legal_mass", "entropy", "ln_legal")
        return dict(zip(names, sums.tolist(), strict=True))


def take_gradient(
    lessons: Sequence[Lesson], net: Transformer, descent: Descent, crew: Crew
) -> float:
    """That of all lessons together; returns its length."""
    return descent.gradient_by(crew, [loss for lesson in lessons for loss in lesson.losses(net)])


class Said(NamedTuple):
    """What a net says of legal moves."""

    policy: NDArray[np.float64]  # [L] among them
    mass: NDArray[np.float64]  # [B] of all that it says
    entropy: NDArray[np.float64]  # [B] among them, in nats


def policy_of(logs: NDArray[np.float32], legal: Ragged) -> Said:
    """For log-probabilities [B, A] of all actions."""
    at_legal = logs[legal.rows, legal.values].astype(np.float64)
    chances, starts = np.exp(at_legal), legal.offsets[:-1]
    mass = np.add.reduceat(chances, starts)
    sums = np.add.reduceat(chances * at_legal, starts)
    return Said(chances / mass[legal.rows], mass, np.log(mass) - sums / mass)
