"""The checkpoint manager: after each step it writes lines, checkpoints and the heartbeat."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path

from selfmate.runs.activity import Activity
from selfmate.runs.card import CONFIG, Best, Card, Header
from selfmate.runs.checkpoint import MISFITS, Checkpoint, Checkpoints, CheckpointWriter, Policy
from selfmate.runs.files import replace_file
from selfmate.runs.metrics import MetricsWriter
from selfmate.runs.run import (
    MAX_ATTEMPTS,
    Json,
    Plan,
    RunFailedError,
    RunStep,
    SavedState,
    State,
    copied,
)
from selfmate.runs.status import Heartbeat, Pace, Progress, SessionTimer, Status

# After steps that take longer, the state is copied, so that the next step can be abandoned.
SLOW_STEP_SECONDS = 0.5


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What never changes during a run."""

    header: Header
    policy: Policy
    plan: Plan
    player: Mapping[str, Json]


class CheckpointManager:
    """Owns all files of a run while it is trained.

    `state` holds what `card` describes, or is new if there is no card. All that is on disk after
    `card` is deleted. `step` is the last step that is done, `attempt` the attempt at the next ones.
    """

    def __init__(self, directory: Path, terms: Terms, state: State, card: Card | None) -> None:
        self.directory = directory
        self._terms, self._state = terms, state
        self._pace = Pace()
        self._best = card.best if card else None
        self._saved_step = card.step if card else None
        self.step = card.step if card else 0
        self.attempt = card.attempt if card else 1
        self._ends_early = card.is_last if card else False
        self._ended = False
        self._snapshot: SavedState | None = None  # after `step`, if that is not on disk
        with self.writing():
            if not (directory / CONFIG).exists():
                replace_file(directory / CONFIG, terms.header.to_toml())
            self._checkpoints = CheckpointWriter(directory, terms.policy)
            self._metrics = MetricsWriter(directory)
            self._truncate(card)
            self._heartbeat = Heartbeat(directory, self._status())

    @property
    def finished(self) -> bool:
        return self._ends_early or self.step == self._terms.plan.count

    @property
    def still_good(self) -> str:
        """The second half of an error message: what can be resumed from."""
        if self._saved_step is None:
            return "there is no checkpoint yet"
        return f"{Checkpoints(self.directory).path(self._saved_step)} is still good"

    @property
    def can_abandon(self) -> bool:
        """Whether the state before the present step can still be saved."""
        return self._saved_step == self.step or self._snapshot is not None

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Around everything that writes: turns errors such as a full disk into RunFailedError."""
        try:
            yield
        except OSError as error:
            if not self.directory.is_dir():
                raise RunFailedError(
                    f"{self.directory} was moved or deleted while it was trained: a run that was "
                    "moved resumes in its new place with --run and --resume"
                ) from error
            reason = error.strerror or str(error)
            raise RunFailedError(
                f"{self.directory} cannot be written: {reason}; {self.still_good}"
            ) from error

    def complete(self, step: RunStep, seconds: float, timer: SessionTimer) -> Progress:
        """Writes what a step reported, a checkpoint if one is due, and a heartbeat."""
        self._snapshot = None
        with self.writing():
            self._write_lines(step, seconds)
            self.step = step.number
            if step.score is not None and step.is_best(self._best.score if self._best else None):
                self._best = Best(step.number, step.score)
            self._ends_early = step.is_last and step.number < self._terms.plan.count
            if self._regular([step.number]) or self.finished:
                self.attempt = 1
                self.save()
            progress = self._progress(step, seconds, timer)
            self._heartbeat.beat(progress)
        if seconds >= SLOW_STEP_SECONDS and self._saved_step != self.step:
            self._snapshot = _copied(self._state.save())
        return progress

    def tick(self, activity: Activity, spent: float, timer: SessionTimer) -> Activity:
        """Writes a heartbeat if it is due, `spent` seconds after the last step. Returns the
        activity with the time that is left."""
        done, rate = self._terms.plan.done(self.step), self._pace.rate
        activity = replace(activity, seconds_left=timer.seconds_left(done, rate, spent))
        with self.writing():
            self._heartbeat.tick(activity)
        return activity

    def save(self) -> None:
        """Writes a checkpoint of `step`, unless there is one. If a later step was abandoned, the
        state has changed and the snapshot counts."""
        if self._saved_step == self.step:
            return
        saved = self._snapshot or self._state.save()
        try:
            with self.writing():
                self._metrics.sync()
                self._checkpoints.save(self._card(saved.facts), saved)
        except ValueError as error:
            raise RunFailedError(
                f"step {self.step} cannot be saved: {error}; {self.still_good}"
            ) from error
        self._saved_step = self.step

    def roll_back(self, failure: str, say: Callable[[str], None]) -> None:
        """Returns to the last regular checkpoint. Checkpoints of stops do not count, because a run
        that was never stopped does not have them."""
        if self.attempt >= MAX_ATTEMPTS:
            raise RunFailedError(
                f"{failure}; it was the last of {MAX_ATTEMPTS} attempts, {self.still_good}"
            )
        checkpoints = Checkpoints(self.directory)
        step = max(self._regular(checkpoints.steps()), default=0)
        card = self._reload(checkpoints, step, failure).card
        self.attempt += 1
        say(f"{failure}; rolling back to {checkpoints.path(step)}, attempt {self.attempt}")
        self.step = self._saved_step = card.step
        self._best, self._ends_early = card.best, card.is_last
        self._snapshot = None
        with self.writing():
            self._truncate(card)
            self._heartbeat.roll_back_to(card.step, card.done)

    def end(self, state: str, message: str = "") -> None:
        if not self._ended:
            self._ended = True
            with self.writing():
                self._heartbeat.end(state, message)

    def close(self, error: BaseException | None) -> None:
        """Writes how the run ended, if that is possible and not yet done, and closes its files."""
        failed = isinstance(error, Exception)
        with suppress(RunFailedError):
            self.end(
                "failed" if failed else "stopped",
                str(error) if isinstance(error, RunFailedError) else repr(error) if failed else "",
            )
        self._metrics.close()

    def _write_lines(self, step: RunStep, seconds: float) -> None:
        line = {"step": step.number, self._terms.plan.unit: step.stop, **step.metrics}
        self._metrics.add(line, step.notes)
        self._metrics.add_updates(step.number, step.first_update, step.updates)
        if step.sample is not None:
            self._metrics.add_sample(step.number, step.sample)
        self._metrics.add_timing(step.number, seconds, step.seconds, step.cluster)

    def _truncate(self, card: Card | None) -> None:
        """Deletes all that is later than `card`; without a card, all there is."""
        self._checkpoints.roll_back_to(card)
        self._metrics.roll_back_to(card.step if card else 0, card.metrics_bytes if card else 0)

    def _reload(self, checkpoints: Checkpoints, step: int, failure: str) -> Checkpoint:
        try:
            checkpoint = checkpoints.read(step, self._terms.header)
            checkpoint.load_into(self._state, self._terms.plan)
        except MISFITS as error:
            # An older one would not help: if this one is corrupt each time, the run never ends.
            raise RunFailedError(
                f"{failure}, and {checkpoints.path(step)} cannot be used: {error}; "
                "resuming takes an older one"
            ) from error
        return checkpoint

    def _regular(self, steps: list[int]) -> list[int]:
        return self._terms.policy.regular(steps, self._best.step if self._best else None)

    def _card(self, facts: Mapping[str, Json]) -> Card:
        plan = self._terms.plan
        return Card(
            header=self._terms.header,
            step=self.step,
            done=plan.done(self.step),
            total=plan.total,
            unit=plan.unit,
            player=self._terms.player,
            facts=facts,
            metrics_bytes=self._metrics.metrics_bytes,
            best=self._best,
            attempt=self.attempt,
            is_last=self._ends_early,
        )

    def _progress(self, step: RunStep, seconds: float, timer: SessionTimer) -> Progress:
        plan = self._terms.plan
        self._pace.add(step.stop - step.start, seconds)
        rate = self._pace.rate
        return Progress(
            step=step.number,
            done=step.stop,
            total=plan.total,
            unit=plan.unit,
            metrics=step.metrics,
            rate=rate,
            seconds_left=timer.seconds_left(step.stop, rate),
        )

    def _status(self) -> Status:
        plan = self._terms.plan
        return Status(
            state="running",
            step=self.step,
            done=plan.done(self.step),
            total=plan.total,
            unit=plan.unit,
        )


def _copied(saved: SavedState) -> SavedState:
    """Learners may save the arrays that they go on to change; shards never change."""
    return SavedState(
        weights=copied(saved.weights),
        rest=copied(saved.rest),
        facts=deepcopy(saved.facts),
        shards=dict(saved.shards),
    )
