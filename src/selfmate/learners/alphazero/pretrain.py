"""Pretraining on recorded games: the net learns to predict the move and the result."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from itertools import islice

import torch

from selfmate.data.dataset import Chunk, ChunkFolder, ChunkStream, DamagedChunkError, prefetched
from selfmate.data.examples import Examples, concatenated_examples, examples_of_games
from selfmate.data.held_out import open_games
from selfmate.data.mixture import Mixture
from selfmate.learners.alphazero.config import PretrainConfig, check_fits
from selfmate.learners.alphazero.loss import TrainingStep, validate
from selfmate.learners.schedule import LearningRateSchedule, Plateau
from selfmate.nets.config import ResNetConfig
from selfmate.nets.growth import grow, smaller_net
from selfmate.nets.optim import GradientWorkers, Optimizer, computing_threads, one_thread
from selfmate.nets.precision import loss_scale_for
from selfmate.nets.resnet import SeResNet
from selfmate.runs import (
    Arrays,
    Run,
    RunFailedError,
    SavedState,
    Step,
    Stopwatch,
    check_layout,
    copied,
    means_of,
    split_prefix,
    with_prefix,
)

CPU = torch.device("cpu")
PREFETCHED_BATCHES = 4
VALIDATION_BATCH_SIZE = 256


def train(config: PretrainConfig, run: Run, device: str = "cpu") -> None:
    if config.net == "sparse":
        from selfmate.learners.alphazero import sparse_pretrain

        sparse_pretrain.train(config, run, device)
        return
    pretraining = Pretraining(config, open_games(config.data), torch.device(device))
    with one_thread():
        for step in pretraining.steps(run):
            try:
                train_step(pretraining, step)
            except DamagedChunkError as error:
                raise RunFailedError(f"the games cannot be used: {error}") from error


def train_step(pretraining: "Pretraining", step: Step) -> None:
    """A step of the run: some updates, and a validation if one is due."""
    watch = Stopwatch()
    if pretraining.growth:
        step.say(pretraining.growth)
        pretraining.growth = ""
    metrics = pretraining.train(step, watch)
    if pretraining.schedule.is_validated(step):
        with watch("validation"):
            validation = pretraining.validate(step)
        metrics |= validation
        step.say(validation_sentence(step.stop, validation))
        _adapt_learning_rate(pretraining, validation, step)
    step.record(metrics, metrics.get("match1"), seconds=watch.seconds)


def _adapt_learning_rate(
    pretraining: "Pretraining", validation: dict[str, float], step: Step
) -> None:
    """With the plateau schedule, halves the learning rate or ends the run if there is no gain."""
    config, plateau = pretraining.config, pretraining.plateau
    if config.schedule != "plateau":
        return
    if config.plateau_validations == "epochs" and not pretraining.schedule.ends_epoch(step):
        return
    unit = "epochs" if config.plateau_validations == "epochs" else "validations"
    before = plateau.halvings
    weighted = config.value_weight * validation["validation_wdl_loss"]
    plateau.validated(validation["validation_policy_loss"] + weighted)
    if plateau.is_over:
        step.say(f"no gain in {plateau.without_gain} {unit}: training ends")
        step.finish()
    elif plateau.halvings > before:
        step.say(f"no gain in {plateau.without_gain} {unit}: the learning rate is halved")


def validation_sentence(positions: int, validation: dict[str, float]) -> str:
    return (
        f"after {positions:,} positions: match@1 {validation['match1']:.1%}, match@5 "
        f"{validation['match5']:.1%}, policy loss {validation['validation_policy_loss']:.3f}, "
        f"WDL loss {validation['validation_wdl_loss']:.3f}, accuracy "
        f"{validation['wdl_accuracy']:.1%}, calibration error "
        f"{validation['calibration_error']:.3f}"
    )


class Pretraining:
    """A net, its optimizer and the games it learns from: a `State` of a run."""

    def __init__(
        self, config: PretrainConfig, games: Sequence[ChunkFolder], device: torch.device = CPU
    ) -> None:
        self.config, self.games, self.device = config, games[0], device
        self._digest = "+".join(folder.digest for folder in games)
        torch.manual_seed(config.seed)
        self.net = ResNetConfig.of(config).make_net().to(device)
        self.net.gradient_checkpointing = config.gradient_checkpointing
        self.net.precision = config.precision
        self.optimizer = make_optimizer(config, self.net)
        self.optimizer.loss_scale = loss_scale_for(config.precision)
        self.workers = GradientWorkers(config.threads)
        self.plateau = Plateau(
            patience=config.patience, early_stopping_patience=config.early_stopping_patience
        )
        self.growth = ""  # what became of the loaded net, if it is a smaller one
        self.stream = Mixture(games, config.data_shares, seed=config.seed)
        self.schedule = LearningRateSchedule(
            epoch=self.stream.count,
            total=config.positions or config.epochs * self.stream.count,
            update=config.batch_size * config.gradient_accumulation,
            validations=config.validations_per_epoch,
            warm_up=config.warmup_positions,
        )

    def steps(self, run: Run) -> Iterator[Step]:
        return run.steps(
            self,
            total=self.schedule.total,
            unit="positions",
            size=self.schedule.step_size(),
            player=self.net.config.model_dump(mode="json"),
        )

    def learning_rate(self, done: int) -> float:
        """The learning rate after so many positions."""
        rate = self.config.learning_rate * self.schedule.warmth(done)
        if self.config.schedule == "plateau":
            return rate * self.plateau.factor
        return rate * self.schedule.cosine(done)

    def train(self, step: Step, watch: Stopwatch) -> dict[str, float]:
        """The updates of a step, whose positions are counted over all epochs."""
        batches = self.batches(step.start, step.stop)
        tick = step.part("learning", step.stop - step.start, "positions")
        metrics = list[dict[str, float]]()
        for done in range(step.start, step.stop, self.schedule.update):
            tick(done - step.start)
            metrics.append(self.update(batches, self.learning_rate(done), watch))
        return means_of(metrics) | {"learning_rate": self.learning_rate(step.stop)}

    def update(
        self, batches: Iterator[Examples], learning_rate: float, watch: Stopwatch
    ) -> dict[str, float]:
        """One update from `gradient_accumulation` batches, or as many as are left."""
        with watch("loading"):
            accumulated = list(islice(batches, self.config.gradient_accumulation))
        step = TrainingStep(
            accumulated,
            value_weight=self.config.value_weight,
            entropy_bonus=self.config.entropy_bonus,
        )
        with watch("learning"):
            return step.update(self.net, self.optimizer, self.workers, learning_rate)

    def validate(self, step: Step) -> dict[str, float]:
        count = min(self.config.validation_positions, self.games.counts["validation"])
        held_out = ChunkStream(self.games, "validation", seed=0)
        batches = held_out.batches(0, count, VALIDATION_BATCH_SIZE)
        examples = prefetched(map(examples_of_games, batches), PREFETCHED_BATCHES)
        tick = step.part("validation", count, "positions")
        with computing_threads(self.config.threads):
            return validate(self.net, examples, tick)

    def batches(self, start: int, stop: int) -> Generator[Examples, None, None]:
        """The training positions start to stop, counted over all epochs."""
        batches = self.stream.batches(start, stop, self.config.batch_size)
        return prefetched(map(self._examples, batches), PREFETCHED_BATCHES)

    def _examples(self, parts: Mapping[int, Chunk]) -> Examples:
        """A batch, by number of the folder. The curve of the first folder turns all evaluations
        into WDL: results of weak players would say little about those of their games."""
        share_of, curve = self.config.evaluation_share_of, self.games.wdl_curve
        return concatenated_examples(
            [examples_of_games(chunk, share_of(number), curve) for number, chunk in parts.items()]
        )

    def save(self) -> SavedState:
        return SavedState(
            weights=copied(self.net.arrays()),
            rest=copied(with_prefix(optimizer=self.optimizer.arrays())),
            facts={"data": self._digest, "plateau": self.plateau.facts()},
        )

    def load(self, saved: SavedState) -> None:
        if saved.facts["data"] != self._digest:
            raise ValueError("the games are not those of the run so far")
        self.load_weights(saved.weights)
        check_layout(saved.rest, with_prefix(optimizer=self.optimizer.arrays()))
        self.optimizer.take(split_prefix(saved.rest)["optimizer"])
        self.plateau.load(saved.facts["plateau"])  # type: ignore[arg-type]

    def load_weights(self, weights: Arrays) -> None:
        """Of a net of this size, or of a smaller one, which grows."""
        smaller = smaller_net(weights, self.net.config)
        if smaller is None:
            check_fits(weights, self.net)
            self.net.take(weights)
            return
        grow(self.net, weights, smaller, self.config.seed)
        new = self.net.config
        self.growth = (
            f"the loaded net of {smaller.blocks} x {smaller.filters} grew to {new.blocks} x "
            f"{new.filters}"
        )


def make_optimizer(config: PretrainConfig, net: SeResNet) -> Optimizer:
    if config.optimizer == "adam":
        return Optimizer.adam(net, config.max_grad_norm, config.weight_decay)
    return Optimizer.muon(net, config.max_grad_norm, config.weight_decay, net.matrices())
