"""AlphaZero with a sparse net: self-play in the core, many positions a move, and Adam."""

from collections.abc import Iterator

import numpy as np

from selfmate.data.dataset import ChunkFolder, prefetched
from selfmate.data.sparse_examples import SparseExamples, examples_of_tree_games
from selfmate.learners.alphazero.config import Config, check_fits_sparse
from selfmate.learners.alphazero.learner import AlphaZero
from selfmate.learners.alphazero.sparse_loss import sparse_update
from selfmate.nets.config import SparseNetConfig
from selfmate.nets.optim import Optimizer
from selfmate.nets.sparse_net import SparseNet
from selfmate.runs import Arrays, RunRefusedError

PREFETCHED_BATCHES = 4


def sparse_learner(config: Config, masters: ChunkFolder | None, device: str) -> AlphaZero:
    if device != "cpu":
        raise RunRefusedError(f"a sparse net learns on the CPU, not on {device}: use device cpu")
    if masters is not None:
        raise RunRefusedError("a sparse net learns from its own games alone: leave masters out")
    return SparseAlphaZero(config)


class SparseAlphaZero(AlphaZero):
    """Only nets and training steps differ."""

    def make_nets(self) -> None:
        net_config = SparseNetConfig.of(self.config)
        self.net, self.best = net_config.make_net(), net_config.make_net()
        self.best.take(self.net.arrays())
        config = self.config
        self.optimizer = Optimizer.adam(self.net, config.max_grad_norm, config.weight_decay)

    def training_steps(
        self, cycle: int, updates: int, learning_rate: float, rng: np.random.Generator
    ) -> Iterator[dict[str, float]]:
        assert isinstance(self.net, SparseNet)
        rows = (self.replay.sample_rows(rng, self.config.batch_size) for _ in range(updates))
        for examples in prefetched(map(self._examples, rows), PREFETCHED_BATCHES):
            yield sparse_update(
                self.net,
                self.optimizer,
                examples,
                learning_rate=learning_rate,
                value_weight=self.config.value_weight,
            )

    def _examples(self, rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> SparseExamples:
        assert isinstance(self.net, SparseNet)
        fraction = self.config.search_value_fraction
        return examples_of_tree_games(self.net, self.replay.parts(rows), fraction)

    def check_fits(self, weights: Arrays) -> None:
        assert isinstance(self.net, SparseNet)
        check_fits_sparse(weights, self.net)
