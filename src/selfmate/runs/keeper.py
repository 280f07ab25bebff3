"""Keeps what a run comes to while it goes on: lines, checkpoints, the best, the heartbeat."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from selfmate.runs.card import Best, Card
from selfmate.runs.checkpoint import MISFITS
from selfmate.runs.checkpoints import Checkpoints, Policy
from selfmate.runs.errors import RunFailedError
from selfmate.runs.header import Header
from selfmate.runs.progress import Pace, Progress
from selfmate.runs.run import Json, State
from selfmate.runs.sitting import Sitting
from selfmate.runs.status import Heartbeat, Status
from selfmate.runs.steps import MOST_ATTEMPTS, Plan, RunStep
from selfmate.runs.writer import RunWriter


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What does not change while a run goes on."""

    header: Header
    policy: Policy
    plan: Plan
    player: Mapping[str, Json]


class Keeper:
    """`state` holds what `card` describes, or is new when there is no card. `step` is the last one
    that is done, `attempt` that of the steps that follow, if the learner sees a use in any."""

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
        with self.writing():
            self._writer = RunWriter(directory, terms.header, terms.policy, card)
            self._heartbeat = Heartbeat(directory, self._status())

    @property
    def finished(self) -> bool:
        return self._ends_early or self.step == self._terms.plan.count

    @property
    def still_good(self) -> str:
        """The second half of a sentence about what went wrong."""
        if self._saved_step is None:
            return "there is no checkpoint yet"
        return f"{Checkpoints(self.directory).path(self._saved_step)} is still good"

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Around everything that writes: a full disk becomes a sentence."""
        try:
            yield
        except OSError as error:
            reason = error.strerror or str(error)
            raise RunFailedError(
                f"{self.directory} cannot be written: {reason}; {self.still_good}"
            ) from error

    def keep(self, step: RunStep, seconds: float, sitting: Sitting) -> Progress:
        """After a step: its line, a checkpoint when one is due, a heartbeat."""
        plan, number = self._terms.plan, step.number
        figures = step.figures
        with self.writing():
            self._writer.add({"step": number, plan.unit: step.stop, **figures}, step.notes)
            if step.sample is not None:
                self._writer.add_sample(number, step.sample)
            self._writer.add_timing(number, seconds, step.seconds)
            self.step = number
            if step.score is not None and step.is_best(self._best.score if self._best else None):
                self._best = Best(number, step.score)
            self._ends_early = step.is_last and number < plan.count
            if self._regular([number]) or self.finished:
                self.attempt = 1
                self.save()
            progress = self._progress(step, seconds, sitting)
            self._heartbeat.beat(progress)
        return progress

    def go_back(self, failure: str, say: Callable[[str], None]) -> None:
        """To the last regular checkpoint: those of stopping are passed over, because a run that
        was never stopped does not have them."""
        if self.attempt >= MOST_ATTEMPTS:
            raise RunFailedError(
                f"{failure}; it was the last of {MOST_ATTEMPTS} attempts, {self.still_good}"
            )
        checkpoints = Checkpoints(self.directory)
        step = max(self._regular(checkpoints.steps()), default=0)
        try:
            checkpoint = checkpoints.read(step, self._terms.header)
            checkpoint.load_into(self._state, self._terms.plan)
        except MISFITS as error:
            # Not an older one: if this one is damaged each time, that would go on for ever.
            raise RunFailedError(
                f"{failure}, and {checkpoints.path(step)} cannot be used: {error}; "
                "resuming takes an older one"
            ) from error
        self.attempt += 1
        say(f"{failure}; going back to {checkpoints.path(step)}, attempt {self.attempt}")
        self._forget_after(checkpoint.card)

    def save(self) -> None:
        """A checkpoint of this step, unless there is one."""
        if self._saved_step == self.step:
            return
        saved = self._state.save()
        plan = self._terms.plan
        card = Card(
            header=self._terms.header,
            step=self.step,
            done=plan.done(self.step),
            total=plan.total,
            unit=plan.unit,
            player=self._terms.player,
            facts=saved.facts,
            metrics_bytes=self._writer.metrics_bytes,
            best=self._best,
            attempt=self.attempt,
            is_last=self._ends_early,
        )
        try:
            with self.writing():
                self._writer.save(card, saved)
        except ValueError as error:
            raise RunFailedError(
                f"step {self.step} cannot be saved: {error}; {self.still_good}"
            ) from error
        self._saved_step = self.step

    def end(self, state: str, message: str = "") -> None:
        if not self._ended:
            self._ended = True
            with self.writing():
                self._heartbeat.end(state, message)

    def close(self, error: BaseException | None) -> None:
        """However the run was left: its status says so, if that can be written."""
        failed = isinstance(error, Exception)
        with suppress(RunFailedError):
            self.end(
                "failed" if failed else "stopped",
                str(error) if isinstance(error, RunFailedError) else repr(error) if failed else "",
            )
        self._writer.close()

    def _forget_after(self, card: Card) -> None:
        self.step = self._saved_step = card.step
        self._best, self._ends_early = card.best, card.is_last
        with self.writing():
            self._writer.go_back_to(card)
            self._heartbeat.go_back(card.step, card.done)

    def _regular(self, steps: list[int]) -> list[int]:
        return self._terms.policy.regular(steps, self._best.step if self._best else None)

    def _progress(self, step: RunStep, seconds: float, sitting: Sitting) -> Progress:
        plan = self._terms.plan
        self._pace.add(step.stop - step.start, seconds)
        rate = self._pace.rate
        return Progress(
            step=step.number,
            done=step.stop,
            total=plan.total,
            unit=plan.unit,
            figures=step.figures,
            rate=rate,
            seconds_left=sitting.seconds_left(step.stop, rate),
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
