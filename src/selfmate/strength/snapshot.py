"""How far a training is, and its weights at that moment as a run that can play.

The time of a training is the time of the steps in its newest checkpoint: what a kill lost, and a
step that was cut off, do not count, because a training that continues makes them again.
"""

import shlex
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from selfmate.runs import CONFIG, Checkpoints, RunDirectory, RunRefusedError
from selfmate.runs.files import parse, pretty, read_plain, remove, sync_directory, write_file
from selfmate.strength.plan import SNAPSHOTS, Training

STEPS_REMEMBERED = 5
NOTE = "snapshot.json"
MAX_NOTE_BYTES = 2**16
REST = "rest.safetensors*"  # what training needs besides: large, and of no use to a player


@dataclass(frozen=True, kw_only=True)
class StageProgress:
    """A stage of a training, by its newest good checkpoint."""

    seconds: float
    step: int
    step_seconds: float  # of its last steps, on average; 0 if there are none
    finished: bool


NOT_BEGUN = StageProgress(seconds=0, step=0, step_seconds=0, finished=False)


def stage_progress(directory: Path) -> StageProgress:
    try:
        run = RunDirectory(directory)
        step = run.checkpoint("last").card.step
    except RunRefusedError:  # no run yet, or no checkpoint
        return NOT_BEGUN
    seconds = [line["seconds"] for line in run.timings() if line["step"] <= step]
    last = seconds[-STEPS_REMEMBERED:]
    return StageProgress(
        seconds=sum(seconds),
        step=step,
        step_seconds=sum(last) / len(last) if last else 0,
        finished=run.status().state == "finished",
    )


@dataclass(frozen=True)
class TrainingProgress:
    """All stages of a training."""

    stages: tuple[StageProgress, ...]

    @property
    def seconds(self) -> float:
        return sum(stage.seconds for stage in self.stages)

    @property
    def finished(self) -> bool:
        return self.stages[-1].finished

    @property
    def current(self) -> int:
        """The number of the first stage that is not finished; of the last if all are."""
        return next(
            (number for number, stage in enumerate(self.stages) if not stage.finished),
            len(self.stages) - 1,
        )

    def is_done(self, minutes: float) -> bool:
        """Whether no step is left that would end by then, as far as can be told."""
        left = 60 * minutes - self.seconds
        return self.finished or left <= self.stages[self.current].step_seconds

    @property
    def playing(self) -> int:
        """The number of the stage whose weights are the newest."""
        current = self.current
        return current - 1 if current and not self.stages[current].step else current


def training_progress(training: Training, folder: Path) -> TrainingProgress:
    return TrainingProgress(tuple(stage_progress(folder / run) for run in training.runs))


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """The weights of a training at one moment; its directory is a run that can play."""

    name: str  # of the directory, relative to the folder of all that is measured
    run: str  # the run they come from
    step: int
    trained_minutes: float
    finished: bool
    commands: tuple[str, ...]  # that train them


def take_snapshot(training: Training, minutes: float, folder: Path) -> Snapshot:
    """Copies the newest weights of a training. There completely, or not at all."""
    progress = training_progress(training, folder)
    number = progress.playing
    snapshot = Snapshot(
        name=training.snapshot(minutes),
        run=training.runs[number],
        step=progress.stages[number].step,
        trained_minutes=round(progress.seconds / 60, 4),
        finished=progress.finished,
        commands=tuple(_commands(training, minutes, progress)),
    )
    _copy(snapshot, folder)
    return snapshot


def _commands(training: Training, minutes: float, progress: TrainingProgress) -> Iterator[str]:
    """Of all stages so far; the last for the time that the others left."""
    left = minutes
    for number, stage in enumerate(progress.stages[: progress.playing + 1]):
        command = f"selfmate {shlex.join(training.command(number))}"
        yield command if stage.finished else f"{command} --minutes {left:.3g}"
        left -= stage.seconds / 60


def _copy(snapshot: Snapshot, folder: Path) -> None:
    source, target = folder / snapshot.run, folder / snapshot.name
    beside = target.with_name(f".new-{target.name}")
    if beside.exists():
        remove(beside)
    target.parent.mkdir(exist_ok=True)
    beside.mkdir()
    shutil.copy(source / CONFIG, beside)
    shutil.copytree(
        Checkpoints(source).path(snapshot.step),
        Checkpoints(beside).path(snapshot.step),
        ignore=shutil.ignore_patterns(REST),
    )
    write_file(beside / NOTE, pretty(asdict(snapshot) | {"commands": [*snapshot.commands]}))
    beside.rename(target)
    sync_directory(target.parent)


def read_snapshot(training: Training, minutes: float, folder: Path) -> Snapshot | None:
    """None if there is none; ValueError if it is damaged."""
    path = folder / training.snapshot(minutes) / NOTE
    if not path.exists():
        return None
    fields = parse(read_plain(path, MAX_NOTE_BYTES), str(path))
    try:
        return Snapshot(**fields | {"commands": tuple(fields["commands"])})
    except (KeyError, TypeError) as error:
        raise ValueError(f"{path} is damaged: delete the folder, and it is made again") from error


def snapshot_minutes(training: Training, folder: Path) -> list[float]:
    """The times at which there are snapshots of a training, ascending."""
    prefix, suffix = Path(training.snapshot(0)).name.split("0min")[0], "min"
    found = []
    for path in (folder / SNAPSHOTS).glob(f"{prefix}*{suffix}"):
        with suppress(ValueError):
            found.append(float(path.name.removeprefix(prefix).removesuffix(suffix)))
    return sorted(found)
