"""Pretraining of a sparse net: from recorded games, or from positions that the teacher labels while
the net learns."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import Protocol

import numpy as np
import torch

from selfmate.data.dataset import Chunk, ChunkFolder, ChunkStream, DamagedChunkError, prefetched
from selfmate.data.held_out import open_games
from selfmate.data.mixture import Mixture
from selfmate.data.sparse_examples import SparseExamples, examples_of_chunks, examples_of_labels
from selfmate.learners.alphazero.config import PretrainConfig, check_fits_sparse
from selfmate.learners.alphazero.pretrain import PREFETCHED_BATCHES, validation_sentence
from selfmate.learners.alphazero.sparse_loss import sparse_update, validate_sparse
from selfmate.learners.schedule import LearningRateSchedule
from selfmate.learners.streamed_labels import LabelledRows, LabelSteps, label_plan
from selfmate.nets.config import SparseNetConfig
from selfmate.nets.evaluator import SparseNetEvaluator
from selfmate.nets.optim import Optimizer, one_thread
from selfmate.nets.sparse_net import SparseNet
from selfmate.runs import (
    Arrays,
    Json,
    Run,
    RunFailedError,
    RunRefusedError,
    SavedState,
    Step,
    Stopwatch,
    check_layout,
    copied,
    means_of,
    split_prefix,
    with_prefix,
)
from selfmate.selfplay.labelled import LabelStream

DEFAULT_POSITIONS = 4_000_000
VALIDATION_BATCH_SIZE = 4096


def train(config: PretrainConfig, run: Run, device: str = "cpu") -> None:
    if device != "cpu":
        raise RunRefusedError(f"a sparse net learns on the CPU, not on {device}: use device cpu")
    torch.manual_seed(config.seed)
    net = SparseNetConfig.of(config).make_net()
    net.discourage_underpromotion()
    plan = label_plan(config, seed=config.seed, batch_size=config.batch_size)
    games = open_games(config.data) if config.data else []
    with nullcontext() if games else LabelStream(plan) as stream, one_thread():
        source: Source
        source = TeacherSource(config, net, stream) if stream else GamesSource(config, net, games)
        pretraining = SparsePretraining(config, net, source)
        for step in pretraining.steps(run):
            try:
                train_step(pretraining, step)
            except DamagedChunkError as error:
                raise RunFailedError(f"the games cannot be used: {error}") from error


def train_step(pretraining: "SparsePretraining", step: Step) -> None:
    """A step of the run: some updates, and a validation if one is due."""
    watch = Stopwatch()
    metrics = pretraining.train(step, watch)
    if pretraining.source.is_validated(step):
        tick = step.part("validation", pretraining.source.validation_positions, "positions")
        with watch("validation"):
            batches = pretraining.source.validation()
            metrics |= validate_sparse(pretraining.net, batches, tick)
        step.say(validation_sentence(step.stop, metrics))
    step.record(metrics, metrics.get("match1"), seconds=watch.seconds)


class Source(Protocol):
    """Examples, counted from the first to the last of the run."""

    total: int  # positions to learn from
    step_size: int  # positions
    validation_positions: int

    def batches(self, step: Step, watch: Stopwatch) -> Iterator[tuple[int, SparseExamples]]:
        """The batches of a step, each with the number of positions before it."""

    def is_validated(self, step: Step) -> bool:
        """Whether a validation is due after a step."""

    def validation(self) -> Iterator[SparseExamples]: ...

    def facts(self) -> Mapping[str, Json]: ...

    def arrays(self) -> Arrays: ...

    def load(self, facts: Mapping[str, Json], arrays: Arrays) -> None:
        """Continues as when `facts` and `arrays` were saved; ValueError for other data."""


class TeacherSource:
    """Positions that the teacher labels, in games of its own, of the net and of random movers."""

    def __init__(self, config: PretrainConfig, net: SparseNet, stream: LabelStream) -> None:
        self.config, self.net = config, net
        plan = label_plan(config, seed=config.seed, batch_size=config.batch_size)
        positions = config.positions or DEFAULT_POSITIONS
        self.labels = LabelSteps(config, positions, plan, stream, net, self._evaluator)
        self.total, self.step_size = self.labels.total, self.labels.step_size
        self.validation_positions = 0  # known when they are there

    def batches(self, step: Step, watch: Stopwatch) -> Iterator[tuple[int, SparseExamples]]:
        rows = self.labels.batches(step.start, step.stop, self.config.batch_size, watch)
        return prefetched(map(self._batch, rows), PREFETCHED_BATCHES)

    def _batch(self, each: LabelledRows) -> tuple[int, SparseExamples]:
        sharpness = self.config.label_sharpness
        examples = examples_of_labels(self.net, each.positions, each.rows, sharpness=sharpness)
        return each.done, examples

    def _evaluator(self, weights: Arrays) -> SparseNetEvaluator:
        player = self.net.config.make_net()
        player.take(weights)
        return SparseNetEvaluator(player)

    def is_validated(self, step: Step) -> bool:
        return self.labels.is_validated(step.start, step.stop) or step.stop == self.total

    def validation(self) -> Iterator[SparseExamples]:
        """The teacher's games alone."""
        positions = self.labels.validation()
        self.validation_positions = len(positions)
        rows, sharpness = np.arange(len(positions)), self.config.label_sharpness
        for part in np.split(rows, range(VALIDATION_BATCH_SIZE, len(rows), VALIDATION_BATCH_SIZE)):
            yield examples_of_labels(self.net, positions, part, sharpness=sharpness)

    def facts(self) -> Mapping[str, Json]:
        return {"data": ""}

    def arrays(self) -> Arrays:
        return self.labels.older

    def load(self, facts: Mapping[str, Json], arrays: Arrays) -> None:
        if facts["data"]:
            raise ValueError("the run so far learned from games")
        self.labels.load(arrays)


class GamesSource:
    """Folders of selfmate import, as `pretrain.Pretraining` reads them."""

    def __init__(
        self, config: PretrainConfig, net: SparseNet, games: Sequence[ChunkFolder]
    ) -> None:
        self.config, self.net, self.games = config, net, games[0]
        self._digest = "+".join(folder.digest for folder in games)
        self.stream = Mixture(games, config.data_shares, seed=config.seed)
        self.schedule = LearningRateSchedule(
            epoch=self.stream.count,
            total=config.positions or config.epochs * self.stream.count,
            update=config.batch_size,
            validations=config.validations_per_epoch,
            warm_up=config.warmup_positions,
        )
        self.total, self.step_size = self.schedule.total, self.schedule.step_size()
        held_out = self.games.counts["validation"]
        self.validation_positions = min(config.validation_positions, held_out)

    def batches(self, step: Step, watch: Stopwatch) -> Iterator[tuple[int, SparseExamples]]:
        size = self.config.batch_size
        batches = map(self._batch, self.stream.batches(step.start, step.stop, size))
        return zip(
            range(step.start, step.stop, size),
            prefetched(batches, PREFETCHED_BATCHES),
            strict=True,
        )

    def _batch(self, parts: Mapping[int, Chunk]) -> SparseExamples:
        """By number of the folder. The curve of the first folder turns all evaluations into WDL."""
        share_of = self.config.evaluation_share_of
        chunks = [(chunk, share_of(number)) for number, chunk in parts.items()]
        return examples_of_chunks(self.net, chunks, self.games.wdl_curve)

    def is_validated(self, step: Step) -> bool:
        return self.schedule.is_validated(step)

    def validation(self) -> Iterator[SparseExamples]:
        held_out = ChunkStream(self.games, "validation", seed=0)
        for chunk in held_out.batches(0, self.validation_positions, VALIDATION_BATCH_SIZE):
            yield examples_of_chunks(self.net, [(chunk, 0.0)])

    def facts(self) -> Mapping[str, Json]:
        return {"data": self._digest}

    def arrays(self) -> Arrays:
        return {}

    def load(self, facts: Mapping[str, Json], arrays: Arrays) -> None:
        if facts["data"] != self._digest:
            raise ValueError("the games are not those of the run so far")


class SparsePretraining:
    """A net, its optimizer and its examples: a `State` of a run."""

    def __init__(self, config: PretrainConfig, net: SparseNet, source: Source) -> None:
        self.config, self.net, self.source = config, net, source
        self.optimizer = Optimizer.adam(net, config.max_grad_norm, config.weight_decay)

    def steps(self, run: Run) -> Iterator[Step]:
        return run.steps(
            self,
            total=self.source.total,
            unit="positions",
            size=self.source.step_size,
            player=self.net.config.model_dump(mode="json"),
        )

    def learning_rate(self, done: int) -> float:
        """After so many positions: linear warm-up, then a cosine to zero."""
        warm_up, update = self.config.warmup_positions, self.config.batch_size
        warmth = min(1.0, (done + update) / warm_up) if warm_up else 1.0
        cosine = (1 + math.cos(math.pi * done / self.source.total)) / 2
        return self.config.learning_rate * warmth * cosine

    def train(self, step: Step, watch: Stopwatch) -> dict[str, float]:
        tick = step.part("learning", step.stop - step.start, "positions")
        metrics = list[dict[str, float]]()
        for done, examples in self.source.batches(step, watch):
            tick(done - step.start)
            with watch("learning"):
                metrics.append(
                    sparse_update(
                        self.net,
                        self.optimizer,
                        examples,
                        learning_rate=self.learning_rate(done),
                        value_weight=self.config.value_weight,
                    )
                )
        means = means_of(metrics)
        recorded = ("policy_loss", "wdl_loss", "entropy", "gradient_norm")
        return {name: means[name] for name in recorded} | {
            "learning_rate": self.learning_rate(step.stop)
        }

    def save(self) -> SavedState:
        rest = with_prefix(optimizer=self.optimizer.arrays(), source=self.source.arrays())
        return SavedState(
            weights=copied(self.net.arrays()), rest=copied(rest), facts=self.source.facts()
        )

    def load(self, saved: SavedState) -> None:
        parts = split_prefix(saved.rest)
        check_layout(parts["optimizer"], self.optimizer.arrays())
        self.source.load(saved.facts, parts.get("source", {}))
        self.load_weights(saved.weights)
        self.optimizer.take(parts["optimizer"])

    def load_weights(self, weights: Arrays) -> None:
        check_fits_sparse(weights, self.net)
        self.net.take(weights)
