"""Learning from master games without search: a transformer guesses what was played among all moves,
legal or not, or what won."""

from collections.abc import Iterator
from functools import partial

import torch

from selfmate.data.attempted_games import AttemptedGames, games_of_masters
from selfmate.data.chunk import Chunk
from selfmate.data.chunk_stream import ChunkStream
from selfmate.data.chunks import ChunkFolder, DamagedChunkError
from selfmate.data.prefetch import prefetched
from selfmate.learners.course import Course
from selfmate.learners.master_games import held_out_masters, open_games
from selfmate.learners.means import means_of
from selfmate.learners.pretrain_searchless_config import Config
from selfmate.learners.searchless_exam import Exam, open_exam
from selfmate.learners.searchless_lesson import Lesson, TargetsOf, take_gradient
from selfmate.learners.searchless_targets import even_targets, imitation_targets
from selfmate.nets.crew import Crew
from selfmate.nets.threads import one_thread
from selfmate.runs.errors import RunFailedError
from selfmate.runs.live import copied, parted, prefixed, restore
from selfmate.runs.run import Arrays, Run, Saved, Step
from selfmate.runs.stopwatch import Stopwatch

PREFETCHED = 4  # batches


class Pretraining:
    """A net and the games it learns from: a `State` of a run."""

    def __init__(self, config: Config, games: ChunkFolder, exam: Exam) -> None:
        self.config, self.games, self.exam = config, games, exam
        torch.manual_seed(config.seed)
        self.net = config.spec().make_net()
        self.descent = config.descent(self.net)
        self.crew = Crew(config.threads)
        self.stream = ChunkStream(games, "training", seed=config.seed)
        self.course = Course(
            epoch=self.stream.count,
            total=config.positions or config.epochs * self.stream.count,
            update=config.batch,
            validations=config.validations,
            warm_up=config.warm_up,
        )

    def steps(self, run: Run) -> Iterator[Step]:
        return run.steps(
            self,
            total=self.course.total,
            unit="positions",
            size=self.step_size(),
            player=self.config.spec().model_dump(mode="json"),
        )

    def step_size(self) -> int:
        """Whole updates, also of the largest."""
        largest = self.config.batch_end
        return max(largest, self.course.step_size() // largest * largest)

    def learning_rate(self, done: int) -> float:
        """After so many positions."""
        course = self.course
        return self.config.learning_rate * course.warmth(done) * course.cosine(done)

    def batch_size(self, done: int) -> int:
        """After so many positions. It doubles, and stays with each size as long as with the
        others."""
        sizes = self.config.doublings + 1
        return self.config.batch << min(sizes * done // self.course.total, sizes - 1)

    def study(self, step: Step, watch: Stopwatch) -> dict[str, float]:
        """Learns from the positions of a step, counted over all epochs."""
        size = self.batch_size(step.start)
        chunks = self.stream.batches(step.start, step.stop, size)
        batches = prefetched(map(self._games, chunks), PREFETCHED)
        told = list[dict[str, float]]()
        for done in range(step.start, step.stop, size):
            with watch("loading"):
                games = next(batches)
            with watch("learning"):
                told.append(self.update(games, self.learning_rate(done)))
        return means_of(told) | {"learning_rate": self.learning_rate(step.stop), "batch": size}

    def update(self, games: AttemptedGames, learning_rate: float) -> dict[str, float]:
        lesson = Lesson(games, self._targets_of())
        norm = take_gradient([lesson], self.net, self.descent, self.crew)
        self.descent.step(learning_rate)
        return lesson.figures() | {"gradient_norm": norm}

    def _games(self, chunk: Chunk) -> AttemptedGames:
        return games_of_masters(chunk, by_mate=self.config.haste_by == "mate")

    def _targets_of(self) -> TargetsOf:
        if self.config.target == "imitation":
            return imitation_targets
        return partial(even_targets, scores=self.config.scores())

    def save(self) -> Saved:
        return Saved(
            weights=copied(self.net.arrays()),
            rest=copied(prefixed(descent=self.descent.arrays())),
            facts={"data": self.games.digest},
        )

    def load(self, saved: Saved) -> None:
        if saved.facts["data"] != self.games.digest:
            raise ValueError("the games are not those that it learned from")
        self.load_weights(saved.weights)
        restore(self.descent.arrays(), parted(saved.rest)["descent"])

    def load_weights(self, weights: Arrays) -> None:
        restore(self.net.arrays(), weights)


def train(config: Config, run: Run) -> None:
    games = open_games(config.data)
    exam = open_exam(config, held_out_masters(games, config.measured))
    pretraining = Pretraining(config, games, exam)
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
            found = pretraining.exam.figures(pretraining.net)
        figures |= found
        step.say(
            f"after {step.stop:,} positions: match@1 {found['match1']:.1%}, match@5 "
            f"{found['match5']:.1%} among legal moves; legal mass {found['legal_mass']:.3f}, "
            f"first choice legal {found['top_legal']:.1%}"
        )
    step.record(figures, figures.get("match1"), seconds=watch.seconds)
