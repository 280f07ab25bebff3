"""A run that is written to disk, step by step, and goes on where it was left."""

import math
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from signal import Signals
from types import TracebackType
from typing import Self

from selfmate.runs.card import Card
from selfmate.runs.checkpoint import MISFITS
from selfmate.runs.checkpoints import Checkpoints, Policy
from selfmate.runs.errors import RunRefusedError
from selfmate.runs.header import Header
from selfmate.runs.keeper import Keeper, Terms
from selfmate.runs.place import Place
from selfmate.runs.progress import Progress
from selfmate.runs.run import Arrays, Json, State
from selfmate.runs.sitting import Sitting
from selfmate.runs.steps import Plan, RunStep
from selfmate.runs.stop_signals import PAUSE, StopSignals


@dataclass(frozen=True, kw_only=True)
class Session:
    """What is asked of one sitting and is no part of the run."""

    resume: bool = False
    minutes: float = math.inf  # pauses at the first step boundary after so long
    pause_after: float = math.inf  # the same after so many more units
    load: Arrays | None = None  # another run's weights to begin with; not used when going on
    say: Callable[[str], None] = print  # for what somebody should know
    watch: Callable[[Progress], None] | None = None  # called after every step


def open_run(directory: Path, header: Header, policy: Policy, session: Session) -> "RunOnDisk":
    """For `with`. RunRefusedError when the directory cannot be used as asked, RunFailedError when
    none of its checkpoints is good; either way it is left as it was."""
    header.to_toml()  # settings that cannot be written are refused before the directory is made
    place = Place(directory, header, session.resume, session.say)
    return RunOnDisk(place, header, policy, session)


class RunOnDisk:
    """Implements `Run`. `finished` is true from the start when there is nothing left to do, and
    after the last step; `stopped_by` is the signal that ended the steps early, unless
    that was a wish to pause."""

    def __init__(self, place: Place, header: Header, policy: Policy, session: Session) -> None:
        self.directory = place.directory
        self.finished = place.finished
        self._place, self._header, self._policy, self._session = place, header, policy, session
        self._signals = StopSignals(PAUSE)
        self._walk: Generator[RunStep] | None = None
        self._keeper: Keeper | None = None

    @property
    def stopped_by(self) -> Signals | None:
        received = self._signals.received
        return None if received == PAUSE else received

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._walk is not None:
            self._walk.close()
        if self._keeper is not None:
            self._keeper.close(error)
        self._place.leave(begun=self._keeper is not None)

    def steps(
        self,
        state: State,
        *,
        total: int,
        unit: str,
        size: int = 1,
        player: Mapping[str, Json],
    ) -> Generator[RunStep]:
        if self._walk is not None:
            raise RuntimeError("a run gives its steps once")
        plan = Plan(total=total, unit=unit, size=size)
        terms = Terms(header=self._header, policy=self._policy, plan=plan, player=player)
        self._walk = self._all_steps(state, terms)
        return self._walk

    def _all_steps(self, state: State, terms: Terms) -> Generator[RunStep]:
        with self._signals:
            card = self._go_on(state, terms.plan)
            self._place.usable = iter(())  # pages are large: what was loaded must not be held twice
            if self.finished:
                return
            if card is None and self._session.load is not None:
                self._begin_with(self._session.load, state)
            self._keeper = Keeper(self.directory, terms, state, card)
            self._keeper.save()  # what every run can go back to and be compared with
            yield from self._steps_left(self._keeper, terms.plan)
            self._keeper.end(self._end_state())

    def _steps_left(self, keeper: Keeper, plan: Plan) -> Generator[RunStep]:
        enough = min(plan.total, plan.done(keeper.step) + self._session.pause_after)
        sitting = Sitting.begin(minutes=self._session.minutes, units=enough)
        began = time.monotonic()
        while not keeper.finished and self._signals.received is None:
            step = RunStep(plan, keeper.step + 1, keeper.still_good, keeper.attempt)
            yield step
            if step.failure is not None:
                # Not the moment to look at the clock: a sitting that ends here would be in vain.
                keeper.go_back(step.failure, self._session.say)
                continue
            ended = time.monotonic()
            progress = keeper.keep(step, ended - began, sitting)
            for note in step.notes:
                if note.aloud:
                    self._session.say(note.text)
            began = ended  # so that saving counts, with the step that follows
            if self._session.watch is not None:
                with keeper.writing():
                    self._session.watch(progress)
            if sitting.is_over(plan.done(keeper.step)):
                break
        keeper.save()
        self.finished = keeper.finished

    def _end_state(self) -> str:
        if self.finished:
            return "finished"
        return "stopped" if self.stopped_by is not None else "paused"

    def _go_on(self, state: State, plan: Plan) -> Card | None:
        """Loads the newest checkpoint that fits; None when there is none at all."""
        for checkpoint in self._place.usable:
            try:
                checkpoint.load_into(state, plan)
            except MISFITS as error:
                path = Checkpoints(self.directory).path(checkpoint.card.step)
                self._session.say(f"{path} cannot be used: {error}")
            else:
                return checkpoint.card
        return None

    def _begin_with(self, weights: Arrays, state: State) -> None:
        try:
            state.load_weights(weights)
        except MISFITS as error:
            raise RunRefusedError(f"the weights to load do not fit: {error}") from error
