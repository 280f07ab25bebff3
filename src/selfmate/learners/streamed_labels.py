"""Labels without a file, step by step: the teacher labels positions while a net learns them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from selfmate.data.scored_positions import ScoredPositions, joined
from selfmate.learners.config import LabelSettings
from selfmate.runs import Arrays, Stopwatch, copied, restore
from selfmate.searches.labelled_games import PositionEvaluator
from selfmate.selfplay.labelled import LabelPlan, LabelStream

BATCHES_PER_STEP = 64
CHUNKS_PER_STEP = 16
VALIDATION_CHUNKS = range(1 << 32, (1 << 32) + 4)  # numbers that no training reaches
VALIDATIONS = 20  # of a run


class PlayingNet(Protocol):
    """A net whose own games are among those that are labelled."""

    def arrays(self) -> Any: ...


@dataclass(frozen=True)
class LabelledRows:
    """A batch: some rows of the positions of a step."""

    done: int  # positions of the run before it
    positions: ScoredPositions
    rows: NDArray[np.int64]


class LabelSteps:
    """Each step has a fixed number of new chunks, which are learned `label_uses` times.

    The chunks of a step are made during the step before it. Its own games are played with the
    weights that the net had when that step began: `older` once it is over.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - what labels depend on
        self,
        settings: LabelSettings,
        positions: int,
        plan: LabelPlan,
        stream: LabelStream,
        net: PlayingNet,
        evaluator_of: Callable[[Arrays], PositionEvaluator],
    ) -> None:
        """`positions` are rounded up to whole steps: `total`."""
        self._settings, self._plan, self._stream = settings, plan, stream
        self._net, self._evaluator_of = net, evaluator_of
        self.step_size = CHUNKS_PER_STEP * plan.chunk_positions
        self.total = -(-positions // self.step_size) * self.step_size
        self.older: Arrays = copied(net.arrays())
        self._validation: ScoredPositions | None = None

    def batches(
        self, start: int, stop: int, batch_size: int, watch: Stopwatch
    ) -> Iterator[LabelledRows]:
        """The batches of the step from `start` to `stop`. Waiting for labels is timed."""
        now = copied(self._net.arrays())
        self._ask(start, self.older)
        if stop < self.total:
            self._ask(stop, now)
        with watch("waiting_for_labels"):
            positions = joined([self._stream.take(number) for number in self._chunks(start)])
        rng = np.random.default_rng([self._plan.seed, start])
        uses = self._settings.label_uses
        rows = np.concatenate([rng.permutation(len(positions)) for _ in range(uses)])
        for begin in range(0, len(rows), batch_size):
            yield LabelledRows(start + begin // uses, positions, rows[begin : begin + batch_size])
        self.older = now

    def _ask(self, start: int, weights: Arrays) -> None:
        """For the chunks of the step from `start`, with these weights for its own games."""
        net = self._evaluator_of(weights) if self._settings.own_fraction else None
        self._stream.ask(self._chunks(start), net)

    def _chunks(self, start: int) -> range:
        """The numbers of the chunks of the step from `start`."""
        first = start // self.step_size * CHUNKS_PER_STEP
        return range(first, first + CHUNKS_PER_STEP)

    def validation(self) -> ScoredPositions:
        """The teacher's games alone."""
        if self._validation is None:
            self._stream.ask(VALIDATION_CHUNKS)
            self._validation = joined([self._stream.take(number) for number in VALIDATION_CHUNKS])
        return self._validation

    def is_validated(self, start: int, stop: int) -> bool:
        """Whether a validation is due after the step. Not after the first one."""
        is_due = VALIDATIONS * stop // self.total > VALIDATIONS * start // self.total
        return bool(start) and is_due

    def load(self, older: Arrays) -> None:
        """Continues as when `older` was saved."""
        self._stream.forget()
        restore(self.older, older)


def label_plan(settings: LabelSettings, *, seed: int, batch_size: int) -> LabelPlan:
    return LabelPlan(
        seed=seed,
        chunk_positions=BATCHES_PER_STEP * batch_size // CHUNKS_PER_STEP,
        depth=settings.teacher_depth,
        own_fraction=settings.own_fraction,
        random_fraction=settings.random_fraction,
        endgame_fraction=settings.endgame_fraction,
    )
