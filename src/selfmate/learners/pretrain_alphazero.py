"""Learning from master games: a net guesses the move that was played, and how the game ended."""

from collections.abc import Iterator
from itertools import islice

import torch

from selfmate.data.chunk_stream import ChunkStream
from selfmate.data.chunks import ChunkFolder, DamagedChunkError
from selfmate.data.examples import Examples, examples_of_games
from selfmate.data.prefetch import prefetched
from selfmate.learners.alphazero_lesson import Lesson
from selfmate.learners.alphazero_net import check_net
from selfmate.learners.course import Course
from selfmate.learners.master_games import open_games
from selfmate.learners.means import means_of
from selfmate.learners.plateau import Plateau
from selfmate.learners.pretrain_alphazero_config import Config
from selfmate.learners.validation import validate
from selfmate.nets.crew import Crew
from selfmate.nets.descent import Descent
from selfmate.nets.se_resnet import SeResNet
from selfmate.nets.threads import computing_threads, one_thread
from selfmate.runs.errors import RunFailedError
from selfmate.runs.live import copied, parted, prefixed
from selfmate.runs.run import Arrays, Run, Saved, Step
from selfmate.runs.stopwatch import Stopwatch
from selfmate.runs.tensors import check_layout

PREFETCHED = 4  # batches
CPU = torch.device("cpu")
VALIDATION_BATCH = 256


class Pretraining:
    """A net and the games it learns from: a `State` of a run."""

    def __init__(self, config: Config, games: ChunkFolder, device: torch.device = CPU) -> None:
        self.config, self.games, self.device = config, games, device
        torch.manual_seed(config.seed)
        self.net = config.spec().make_net().to(device)
        self.net.checkpointing = config.checkpointing
        self.descent = new_descent(config, self.net)
        self.crew = Crew(config.threads)
        self.plateau = Plateau(halve_after=config.halve_after, stop_after=config.stop_after)
        self.stream = ChunkStream(games, "training", seed=config.seed)
        self.course = Course(
            epoch=self.stream.count,
            total=config.positions or config.epochs * self.stream.count,
            update=config.batch * config.accumulation,
            validations=config.validations,
            warm_up=config.warm_up,
        )

    def steps(self, run: Run) -> Iterator[Step]:
        return run.steps(
            self,
            total=self.course.total,
            unit="positions",
            size=self.course.step_size(),
            player=self.config.spec().model_dump(mode="json"),
        )

    def learning_rate(self, done: int) -> float:
        """After so many positions."""
        rate = self.config.learning_rate * self.course.warmth(done)
        if self.config.schedule == "plateau":
            return rate * self.plateau.factor
        return rate * self.course.cosine(done)

    def study(self, step: Step, watch: Stopwatch) -> dict[str, float]:
        """Learns from the positions of a step, counted over all epochs."""
        batches = self._examples(step.start, step.stop)
        told = [
            self.update(batches, self.learning_rate(done), watch)
            for done in range(step.start, step.stop, self.course.update)
        ]
        return means_of(told) | {"learning_rate": self.learning_rate(step.stop)}

    def update(
        self, batches: Iterator[Examples], learning_rate: float, watch: Stopwatch
    ) -> dict[str, float]:
        """An update from as many batches as it takes, or as there are."""
        with watch("loading"):
            parts = list(islice(batches, self.config.accumulation))
        config = self.config
        lesson = Lesson(parts, value_weight=config.value_weight, entropy_bonus=config.entropy_bonus)
        with watch("learning"):
            norm = lesson.gradient(self.net, self.descent, self.crew)
            self.descent.step(learning_rate)
        return lesson.figures() | {"gradient_norm": norm}

    def validate(self) -> dict[str, float]:
        count = min(self.config.validated, self.games.counts["validation"])
        held_back = ChunkStream(self.games, "validation", seed=0)
        batches = held_back.batches(0, count, VALIDATION_BATCH)
        with computing_threads(self.config.threads):
            return validate(self.net, prefetched(map(examples_of_games, batches), PREFETCHED))

    def _examples(self, start: int, stop: int) -> Iterator[Examples]:
        batches = self.stream.batches(start, stop, self.config.batch)
        return prefetched(map(examples_of_games, batches), PREFETCHED)

    def save(self) -> Saved:
        return Saved(
            weights=copied(self.net.arrays()),
            rest=copied(prefixed(descent=self.descent.arrays())),
            facts={"data": self.games.digest, "plateau": self.plateau.facts()},
        )

    def load(self, saved: Saved) -> None:
        if saved.facts["data"] != self.games.digest:
            raise ValueError("the games are not those that it learned from")
        self.load_weights(saved.weights)
        check_layout(saved.rest, prefixed(descent=self.descent.arrays()))
        self.descent.take(parted(saved.rest)["descent"])
        self.plateau.load(saved.facts["plateau"])  # type: ignore[arg-type]

    def load_weights(self, weights: Arrays) -> None:
        check_net(weights, self.net)
        self.net.take(weights)


def new_descent(config: Config, net: SeResNet) -> Descent:
    if config.optimizer == "adam":
        return Descent.adam(net, config.most_norm, config.weight_decay)
    return Descent.muon(net, config.most_norm, config.weight_decay, net.matrices())


def train(config: Config, run: Run, device: str = "cpu") -> None:
    pretraining = Pretraining(config, open_games(config.data), torch.device(device))
    with one_thread():
        for step in pretraining.steps(run):
            try:
                study(pretraining, step)
            except DamagedChunkError as error:
                raise RunFailedError(f"the games cannot be used: {error}") from error


def study(pretraining: Pretraining, step: Step) -> None:
    watch = Stopwatch()
    figures = pretraining.study(step, watch)
    if pretraining.course.is_validated(step):
        with watch("validation"):
            found = pretraining.validate()
        figures |= found
        step.say(_sentence(step.stop, found))
        _heed(pretraining, found, step)
    step.record(figures, figures.get("match1"), seconds=watch.seconds)


def _heed(pretraining: Pretraining, found: dict[str, float], step: Step) -> None:
    """What follows from a validation for the rate, if that goes by them."""
    config, plateau = pretraining.config, pretraining.plateau
    if config.schedule != "plateau":
        return
    before = plateau.halvings
    weighted = config.value_weight * found["validation_wdl_loss"]
    plateau.validated(found["validation_policy_loss"] + weighted)
    if plateau.is_over:
        step.say(f"no gain in {plateau.without_gain} validations: this is as good as it gets")
        step.finish()
    elif plateau.halvings > before:
        step.say(f"no gain in {plateau.without_gain} validations: the learning rate is halved")


def _sentence(positions: int, found: dict[str, float]) -> str:
    return (
        f"after {positions:,} positions: match@1 {found['match1']:.1%}, match@5 "
        f"{found['match5']:.1%}, policy loss {found['validation_policy_loss']:.3f}, WDL loss "
        f"{found['validation_wdl_loss']:.3f}, accuracy {found['wdl_accuracy']:.1%}, "
        f"calibration error {found['calibration_error']:.3f}"
    )
