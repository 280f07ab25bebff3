"""Several trainings, a few at a time, each in a process of its own, resumed where it stopped."""

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from selfmate.runs.directory import RunDirectory
from selfmate.runs.errors import RunRefusedError
from selfmate.runs.run import Json

SECONDS_BETWEEN_LOOKS = 0.5
SECONDS_TO_SAVE = 120.0
STOPPING = (signal.SIGINT, signal.SIGTERM)


class TrainingFailedError(Exception):
    """A training ended badly; the text says which and why."""


@dataclass(frozen=True, kw_only=True)
class Training:
    """What `selfmate train` is asked for."""

    directory: Path
    learner: str
    preset: str
    settings: dict[str, Json]
    seed: int

    @property
    def log(self) -> Path:
        return self.directory.with_name(f"{self.directory.name}.log")

    def sets(self) -> list[str]:
        return [f"{key}={_toml(value)}" for key, value in self.settings.items()]

    def command(self) -> list[str]:
        sets = [f"--set={text}" for text in self.sets()]
        options = ["--preset", self.preset, "--seed", str(self.seed), *sets]
        where = ["--run", str(self.directory), "--resume", "--json"]
        return [sys.executable, "-m", "selfmate", "train", self.learner, *options, *where]

    def done(self) -> int:
        """Games played so far."""
        try:
            return RunDirectory(self.directory).status().done
        except RunRefusedError:
            return 0


Process = subprocess.Popen[str]


def run_trainings(trainings: Sequence[Training], at_once: int, look: Callable[[], None]) -> None:
    """Runs them in the given order; `look` is called now and then. On Ctrl-C and SIGTERM every
    training saves itself, then KeyboardInterrupt is raised."""
    waiting, running = list(trainings), dict[Process, Training]()
    with _noticing_signals() as stop:
        try:
            while (waiting or running) and not stop.is_set():
                while waiting and len(running) < at_once:
                    running |= {_start(waiting[0]): waiting.pop(0)}
                stop.wait(SECONDS_BETWEEN_LOOKS)
                look()
                _collect(running)
        finally:
            _end(running)
    if stop.is_set():
        raise KeyboardInterrupt


@contextmanager
def _noticing_signals() -> Iterator[threading.Event]:
    """Sets the event instead of ending the program."""
    stop = threading.Event()
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in STOPPING}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _start(training: Training) -> Process:
    """In a session of its own: Ctrl-C reaches us alone, who pass it on."""
    training.directory.parent.mkdir(parents=True, exist_ok=True)
    with training.log.open("w", encoding="utf-8") as log:
        return subprocess.Popen(
            training.command(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            text=True,
            start_new_session=True,
        )


def _collect(running: dict[Process, Training]) -> None:
    for process in [process for process in running if process.poll() is not None]:
        training = running.pop(process)
        if process.returncode:
            lines = training.log.read_text("utf-8").splitlines() or ["it said nothing"]
            raise TrainingFailedError(f"training {training.directory} failed: {lines[-1]}")


def _end(running: dict[Process, Training]) -> None:
    for process in running:
        process.terminate()
    for process in running:
        try:
            process.wait(SECONDS_TO_SAVE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _toml(value: Json) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
