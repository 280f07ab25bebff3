"""What a net that does not know the rules is taught in one update, shared out among threads."""

from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from selfmate.data.attempted_games import AttemptedGames
from selfmate.learners.searchless_targets import Targets
from selfmate.nets.crew import Crew
from selfmate.nets.descent import Descent
from selfmate.nets.transformer import Transformer
from selfmate.rules.ragged import Ragged

SHARE_ROWS = 32  # positions that a thread has in memory

TargetsOf = Callable[[AttemptedGames, Ragged], Targets]


class Lesson:
    """Positions, and what the net said to them before it learned."""

    def __init__(self, games: AttemptedGames, targets_of: TargetsOf) -> None:
        self._games, self._targets_of = games, targets_of
        self._datapoints = len(games) + len(games.tried.values)
        self._told: dict[int, NDArray[np.float64]] = {}

    def gradient(self, net: Transformer, descent: Descent, crew: Crew) -> float:
        """Takes it, and returns its length."""
        rows = np.arange(len(self._games))
        shares = np.split(rows, range(SHARE_ROWS, len(rows), SHARE_ROWS))
        return descent.gradient_by(
            crew, [partial(self._loss, net, at, share) for at, share in enumerate(shares)]
        )

    def _loss(self, net: Transformer, at: int, rows: NDArray[np.int64]) -> Tensor:
        games = self._games.take(rows)
        sentences = games.sentences()
        targets = self._targets_of(games, sentences.legal)
        logs = torch.log_softmax(net(torch.from_numpy(sentences.tokens).long()), 1)
        losses = -(torch.from_numpy(targets.shares) * logs).sum(1)
        loss = (torch.from_numpy(targets.datapoints) * losses).sum() / self._datapoints
        mass, entropy = mass_and_entropy(logs.detach().numpy(), sentences.legal)
        self._told[at] = np.array(
            [
                float(loss.detach()),
                mass.sum() / len(self._games),
                targets.legal_mass.sum() / len(self._games),
                entropy.sum() / len(self._games),
                np.log(sentences.legal.counts).sum() / len(self._games),
            ]
        )
        return loss

    def figures(self) -> dict[str, float]:
        """Means over the positions; the loss, over the datapoints."""
        sums = np.sum([self._told[at] for at in sorted(self._told)], axis=0)
        names = ("loss", "learned_legal_mass", "target_legal_mass", "entropy", "ln_legal")
        return dict(zip(names, sums.tolist(), strict=True))


def mass_and_entropy(
    logs: NDArray[np.float32], legal: Ragged
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """[B] How much of a policy is on legal moves, and its entropy among them, in nats."""
    at_legal = logs[legal.rows, legal.values].astype(np.float64)
    chances, starts = np.exp(at_legal), legal.offsets[:-1]
    mass = np.add.reduceat(chances, starts)
    sums = np.add.reduceat(chances * at_legal, starts)
    return mass, np.log(mass) - sums / mass
