"""Pretraining of the searchless transformer on master games: it predicts the played move among all
moves, legal or not, or scores it by the result of the game."""

from collections.abc import Iterator
from functools import partial

import torch

from selfmate.data.dataset import Chunk, ChunkFolder, ChunkStream, DamagedChunkError, prefetched
from selfmate.data.held_out import held_out_masters, open_games
from selfmate.data.trajectories import AttemptTrajectories, games_of_masters
from selfmate.learners.schedule import LearningRateSchedule
from selfmate.learners.searchless.config import PretrainConfig
from selfmate.learners.searchless.evaluation import SearchlessEvaluator, make_evaluator
from selfmate.learners.searchless.targets import (
    PolicyLoss,
    TargetFunction,
    compute_gradient,
    imitation_targets,
    uniform_targets,
)
from selfmate.nets.config import TransformerConfig
from selfmate.nets.optim import GradientWorkers, one_thread
from selfmate.runs import (
    Arrays,
    Run,
    RunFailedError,
    SavedState,
    Step,
    Stopwatch,
    copied,
    means_of,
    restore,
    with_prefix,
)

PREFETCHED_BATCHES = 4


class Pretraining:
    """The net, its optimizer and the master games: a `State` of a run."""

    def __init__(
        self, config: PretrainConfig, games: ChunkFolder, evaluator: SearchlessEvaluator | None
    ) -> None:
        """Without an evaluator it is not validated."""
        self.config, self.games, self.evaluator = config, games, evaluator
        torch.manual_seed(config.seed)
        self.net = TransformerConfig.of(config).make_net()
        self.optimizer = config.make_optimizer(self.net)
        self.workers = GradientWorkers(config.threads)
        self.stream = ChunkStream(games, "training", seed=config.seed)
        self.schedule = LearningRateSchedule(
            epoch=self.stream.count,
            total=config.positions or config.epochs * self.stream.count,
            update=config.batch_size,
            validations=config.validations_per_epoch,
            warm_up=config.warmup_positions,
        )

    def steps(self, run: Run) -> Iterator[Step]:
        return run.steps(
            self,
            total=self.schedule.total,
            unit="positions",
            size=self.step_size(),
            player=self.net.config.model_dump(mode="json"),
        )

    def step_size(self) -> int:
        """Positions per step: whole updates, also of the largest batch size."""
        largest = self.config.batch_size_end
        return max(largest, self.schedule.step_size() // largest * largest)

    def learning_rate(self, done: int) -> float:
        """After `done` positions: warmup, then cosine decay."""
        schedule = self.schedule
        return self.config.learning_rate * schedule.warmth(done) * schedule.cosine(done)

    def batch_size(self, done: int) -> int:
        """After `done` positions. It doubles at equal distances, up to `batch_size_end`."""
        sizes = self.config.doublings + 1
        return self.config.batch_size << min(sizes * done // self.schedule.total, sizes - 1)

    def learn(self, step: Step, watch: Stopwatch) -> dict[str, float]:
        """Learns from the positions of a step, which are counted over all epochs."""
        size = self.batch_size(step.start)
        chunks = self.stream.batches(step.start, step.stop, size)
        batches = prefetched(map(self.games_of, chunks), PREFETCHED_BATCHES)
        metrics = list[dict[str, float]]()
        tick = step.part("learning", step.stop - step.start, "positions")
        for done in range(step.start, step.stop, size):
            tick(done - step.start)
            with watch("loading"):
                games = next(batches)
            with watch("learning"):
                metrics.append(self.update(games, self.learning_rate(done)))
        return means_of(metrics) | {"learning_rate": self.learning_rate(step.stop), "batch": size}

    def update(self, games: AttemptTrajectories, learning_rate: float) -> dict[str, float]:
        loss = PolicyLoss(games, self._target_function())
        norm = compute_gradient([loss], self.net, self.optimizer, self.workers)
        self.optimizer.step(learning_rate)
        return loss.metrics() | {"gradient_norm": norm}

    def games_of(self, chunk: Chunk) -> AttemptTrajectories:
        return games_of_masters(chunk, by_mate=self.config.speed_bonus_by == "mate")

    def _target_function(self) -> TargetFunction:
        if self.config.target == "imitation":
            return imitation_targets
        return partial(uniform_targets, scores=self.config.target_scores())

    def save(self) -> SavedState:
        return SavedState(
            weights=copied(self.net.arrays()),
            rest=copied(with_prefix(optimizer=self.optimizer.arrays())),
            facts={"data": self.games.digest},
        )

    def load(self, saved: SavedState) -> None:
        if saved.facts["data"] != self.games.digest:
            raise ValueError("the games are not those that the run learned from")
        self.load_weights(saved.weights)
        restore(with_prefix(optimizer=self.optimizer.arrays()), saved.rest)

    def load_weights(self, weights: Arrays) -> None:
        restore(self.net.arrays(), weights)


def train(config: PretrainConfig, run: Run) -> None:
    (games,) = open_games(config.data)
    evaluator = make_evaluator(config, held_out_masters(games, config.validation_positions))
    pretraining = Pretraining(config, games, evaluator)
    with one_thread():
        for step in pretraining.steps(run):
            try:
                run_step(pretraining, step)
            except DamagedChunkError as error:
                raise RunFailedError(f"the games cannot be used: {error}") from error


def run_step(pretraining: Pretraining, step: Step) -> None:
    """Learning, and validation when it is due."""
    watch = Stopwatch()
    metrics = pretraining.learn(step, watch)
    if pretraining.evaluator is not None and pretraining.schedule.is_validated(step):
        with watch("validation"):
            found = pretraining.evaluator.metrics(pretraining.net, step)
        metrics |= found
        step.say(
            f"after {step.stop:,} positions: match@1 {found['match1']:.1%}, match@5 "
            f"{found['match5']:.1%} among legal moves; legal mass {found['legal_mass']:.3f}, "
            f"first choice legal {found['top_legal']:.1%}"
        )
    step.record(metrics, metrics.get("match1"), seconds=watch.seconds)
