"""One session of a run: opened in its directory, trained until it is done, paused or stopped."""

import math
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from signal import Signals
from types import TracebackType
from typing import Self

from selfmate.runs.activity import Activity, StepAbandoned
from selfmate.runs.card import CONFIG, Card, Header, read_header
from selfmate.runs.checkpoint import CHECKPOINTS, MISFITS, SHARDS, Checkpoint, Checkpoints, Policy
from selfmate.runs.files import beside_name
from selfmate.runs.manager import CheckpointManager, Terms
from selfmate.runs.metrics import GAMES, LINES, METRICS, line_notices
from selfmate.runs.run import Arrays, CorruptError, Json, Plan, RunRefusedError, RunStep, State
from selfmate.runs.signals import PAUSE, StopSignals
from selfmate.runs.status import LOCK, Lock, Progress, SessionTimer, read_status

FIRST_STEP = (
    "the time is over within the first step of this session: it is finished all the same, so that "
    "short sessions get on, too"
)
# What a start that was killed at once may have left behind.
NOT_YET_A_RUN = {LOCK, beside_name(Path(CONFIG)).name}


@dataclass(frozen=True, kw_only=True)
class Session:
    """What is asked of one session. None of it is part of the run."""

    resume: bool = False
    # Pauses when this time is over, within a step if another was done since the session began.
    minutes: float = math.inf
    pause_after: float = math.inf  # pauses after the step in which so many more units are done
    load: Arrays | None = None  # weights of another run to start from; not used when resuming
    say: Callable[[str], None] = print  # for notices to the user
    watch: Callable[[Progress], None] | None = None  # called after every step
    # Called within steps, on any thread, a few times per second.
    watch_step: Callable[[Activity], None] | None = None
    ends_process: bool = False  # a second Ctrl-C ends the process, whatever its threads do


def open_run(directory: Path, header: Header, policy: Policy, session: Session) -> "DiskRun":
    """A run on disk, for `with`. RunRefusedError if the directory cannot be used as asked,
    RunFailedError if none of its checkpoints is good; either way the directory stays as it was."""
    header.to_toml()  # settings that cannot be written are refused before the directory is made
    holds_run = _check_directory(directory, header, session.resume)
    final = _final_checkpoint(directory, header) if holds_run else None
    if final is not None:
        return DiskRun(_Opened(directory, None, iter([final])), header, policy, session)
    lock = RunLock(directory, header, session.resume)
    try:
        for notice in line_notices(directory):
            session.say(f"{directory}: {notice}")
        metrics_bytes = _size_bytes(directory / METRICS)
        usable = Checkpoints(directory).usable(header, metrics_bytes, session.say)
        first = next(usable, None)
    except BaseException:
        lock.release(begun=False)
        raise
    checkpoints = chain([first], usable) if first else iter(())
    return DiskRun(_Opened(directory, lock, checkpoints), header, policy, session)


def _check_directory(directory: Path, header: Header, resume: bool) -> bool:
    """Whether the directory holds a run to resume; RunRefusedError if it must not be used."""
    if not directory.exists():
        return False
    if not directory.is_dir():
        raise RunRefusedError(f"{directory} is not a directory: choose another --run")
    names = {entry.name for entry in directory.iterdir()}
    if CONFIG not in names:
        if names - NOT_YET_A_RUN:
            raise RunRefusedError(f"{directory} holds files but no run: choose another --run")
        return False
    if not resume:
        raise RunRefusedError(
            f"{directory} holds a run already: continue it with --resume, or choose another --run"
        )
    _check_no_links(directory)
    try:
        read_header(directory).check_same(header, directory)
    except CorruptError as error:
        raise RunRefusedError(f"{directory} cannot be resumed: {error}") from error
    return True


def _check_no_links(directory: Path) -> None:
    """A link in a stranger's run must not make us write elsewhere."""
    directories = (CHECKPOINTS, SHARDS, GAMES)
    for name in (*directories, LOCK, *LINES):
        path = directory / name
        kind = "directory" if name in directories else "regular file"
        fits = path.is_dir() if kind == "directory" else path.is_file()
        if path.is_symlink() or (path.exists() and not fits):
            raise RunRefusedError(f"{directory} cannot be resumed: {name} is not a {kind}")


def _final_checkpoint(directory: Path, header: Header) -> Checkpoint | None:
    """The last checkpoint of a finished run, else None."""
    status = read_status(directory)
    if status is None or status.state != "finished":
        return None  # if only the status is missing, the session writes it
    checkpoints = Checkpoints(directory)
    try:
        checkpoint = checkpoints.read(max(checkpoints.steps(), default=0), header)
    except CorruptError:
        return None
    return checkpoint if checkpoint.card.is_finished else None


def _size_bytes(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


class RunLock:
    """The directory of a run, made if it is missing, checked, and locked for this process."""

    def __init__(self, directory: Path, header: Header, resume: bool) -> None:
        self._directory = directory
        self._made = [path for path in (directory, *directory.parents) if not path.exists()]
        directory.mkdir(parents=True, exist_ok=True)
        self._lock: Lock | None = None
        try:
            self._lock = Lock(directory)
            # Again: another process may have started here since the first check.
            _check_directory(directory, header, resume)
        except BaseException:
            self.release(begun=False)
            raise

    def release(self, *, begun: bool) -> None:
        """A run that never began leaves nothing behind."""
        if self._lock is not None:
            if not begun and not (self._directory / CONFIG).exists():
                (self._directory / LOCK).unlink(missing_ok=True)
            self._lock.release()
        for directory in self._made:  # innermost first
            if directory.is_dir() and not any(directory.iterdir()):
                directory.rmdir()


class StepWatch:
    """What happens within a step: its activity is shown, and a request to stop is obeyed."""

    def __init__(
        self,
        manager: CheckpointManager,
        timer: SessionTimer,
        session: Session,
        signals: StopSignals,
    ) -> None:
        self._manager, self._timer = manager, timer
        self._session, self._signals = session, signals
        self.began = time.monotonic()
        self.got_on = False  # a step was recorded in this session and not rolled back since
        self._said_late = False

    def tick(self, activity: Activity) -> None:
        if self._signals.is_urgent:
            raise KeyboardInterrupt
        if self._is_asked_to_stop() and self._manager.can_abandon:
            raise StepAbandoned
        spent = time.monotonic() - self.began
        activity = self._manager.tick(activity, spent, self._timer)
        if self._session.watch_step is not None:
            self._session.watch_step(activity)

    def _is_asked_to_stop(self) -> bool:
        """By a signal, or by the clock: that only after a recorded step, or sessions shorter than a
        step would repeat it for ever."""
        if self._timer.is_late and not (self.got_on or self._said_late):
            self._said_late = True
            self._session.say(FIRST_STEP)
        return self._signals.received is not None or (self._timer.is_late and self.got_on)


@dataclass
class _Opened:
    directory: Path
    lock: RunLock | None  # None if the run is finished: nothing will be written
    checkpoints: Iterator[Checkpoint]  # to resume from, newest first


class DiskRun:
    """Implements `Run`. `finished` is true from the start if nothing is left to do, and after the
    last step. `stopped_by` is the signal that stopped the run, None if it was asked to pause."""

    def __init__(self, opened: _Opened, header: Header, policy: Policy, session: Session) -> None:
        self.directory = opened.directory
        self.finished = opened.lock is None
        self._opened, self._header, self._policy, self._session = opened, header, policy, session
        self._signals = StopSignals(PAUSE, say=session.say, ends_process=session.ends_process)
        self._steps: Generator[RunStep] | None = None
        self._manager: CheckpointManager | None = None

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
    ) -> bool:
        """True after a step that was abandoned: then the run has stopped as asked."""
        abandoned = isinstance(error, StepAbandoned)
        try:
            if abandoned and self._manager is not None:
                self._manager.save()
                self._manager.end(self._end_state())
        finally:
            self._close(error)
        return abandoned

    def _close(self, error: BaseException | None) -> None:
        if self._steps is not None:
            self._steps.close()
        if self._manager is not None:
            self._manager.close(error)
        if self._opened.lock is not None:
            self._opened.lock.release(begun=self._manager is not None)

    def steps(
        self,
        state: State,
        *,
        total: int,
        unit: str,
        size: int = 1,
        player: Mapping[str, Json],
    ) -> Generator[RunStep]:
        if self._steps is not None:
            raise RuntimeError("a run gives its steps once")
        plan = Plan(total=total, unit=unit, size=size)
        terms = Terms(header=self._header, policy=self._policy, plan=plan, player=player)
        self._steps = self._all_steps(state, terms)
        return self._steps

    def _all_steps(self, state: State, terms: Terms) -> Generator[RunStep]:
        with self._signals:
            card = self._resume(state, terms.plan)
            self._opened.checkpoints = iter(())  # shards are large: do not hold them twice
            if self.finished:
                return
            if card is None and self._session.load is not None:
                self._load_weights(self._session.load, state)
            self._manager = CheckpointManager(self.directory, terms, state, card)
            self._manager.save()  # the first one: to roll back to, and to compare with
            yield from self._remaining_steps(self._manager, terms.plan)
            self._manager.end(self._end_state())

    def _remaining_steps(self, manager: CheckpointManager, plan: Plan) -> Generator[RunStep]:
        enough = min(plan.total, plan.done(manager.step) + self._session.pause_after)
        timer = SessionTimer.start(minutes=self._session.minutes, units=enough)
        watch = StepWatch(manager, timer, self._session, self._signals)
        while not manager.finished and self._signals.received is None:
            step = RunStep(plan, manager.step + 1, manager.still_good, manager.attempt, watch.tick)
            yield step
            if step.failure is not None:
                # The timer is not asked here: a session that ended now would achieve nothing.
                manager.roll_back(step.failure, self._session.say)
                watch.got_on = False
                continue
            ended = time.monotonic()
            progress = manager.complete(step, ended - watch.began, timer)
            watch.began, watch.got_on = ended, True  # saving counts with the step that follows
            self._report(step, progress, manager)
            if timer.is_over(plan.done(manager.step)):
                break
        manager.save()
        self.finished = manager.finished

    def _report(self, step: RunStep, progress: Progress, manager: CheckpointManager) -> None:
        for note in step.notes:
            if note.aloud:
                self._session.say(note.text)
        if self._session.watch is not None:
            with manager.writing():  # a watcher may write too, as TensorBoard's does
                self._session.watch(progress)

    def _end_state(self) -> str:
        if self.finished:
            return "finished"
        return "stopped" if self.stopped_by is not None else "paused"

    def _resume(self, state: State, plan: Plan) -> Card | None:
        """Loads the newest checkpoint that fits; None if the run has none at all."""
        for checkpoint in self._opened.checkpoints:
            try:
                checkpoint.load_into(state, plan)
            except MISFITS as error:
                path = Checkpoints(self.directory).path(checkpoint.card.step)
                self._session.say(f"{path} cannot be used: {error}")
            else:
                return checkpoint.card
        return None

    def _load_weights(self, weights: Arrays, state: State) -> None:
        try:
            state.load_weights(weights)
        except MISFITS as error:
            raise RunRefusedError(f"the weights to load do not fit: {error}") from error
