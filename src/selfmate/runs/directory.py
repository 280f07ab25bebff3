"""Runs as readers see them, also while they are written; finding runs, and deleting one."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfmate.extras import check_extra
from selfmate.runs.card import Best, Card, read_header
from selfmate.runs.checkpoint import BEST, Checkpoints, read_card, read_weights
from selfmate.runs.files import parse, read_plain, remove
from selfmate.runs.lines import CheckedLines
from selfmate.runs.metrics import (
    METRICS,
    NOTES,
    SAMPLES,
    TIMINGS,
    UPDATES,
    last_line,
    line_notices,
)
from selfmate.runs.run import MAX_SAMPLE_BYTES, Arrays, CorruptError, RunRefusedError
from selfmate.runs.status import Lock, Status, is_locked, read_status

MAX_BEST_BYTES = 2**12
DELETED = ".deleted-"


@dataclass(frozen=True, kw_only=True)
class Found:
    """The weights of a checkpoint, and why checkpoints before it in the order were skipped."""

    card: Card
    weights: Arrays
    passed_over: tuple[str, ...]


class RunDirectory:
    """A run on disk, for reading without a lock. RunRefusedError if the directory holds no run."""

    def __init__(self, path: Path) -> None:
        try:
            self.header = read_header(path)
        except CorruptError as error:
            raise RunRefusedError(f"{path} is not a run: {error}") from error
        self.path = path

    @property
    def learner(self) -> str:
        """The name of the learner that trains it."""
        return self.header.learner

    @property
    def config(self) -> dict[str, Any]:
        """All settings that decide the run."""
        return self.header.config

    def status(self) -> Status:
        """As written, but "killed" if the run says "running" and no process holds its lock."""
        # The lock first: a writer releases it after its last status.
        locked = is_locked(self.path)
        status = read_status(self.path) or Status(state="running")
        is_killed = status.state == "running" and not locked
        return replace(status, state="killed") if is_killed else status

    def metrics(self) -> Iterator[dict[str, Any]]:
        """One line per step, oldest first."""
        return (line for _, line in CheckedLines(self.path / METRICS))

    def columns(self) -> dict[str, NDArray[np.float64]]:
        """One array per metric, with NaN for steps that did not report it."""
        lines = list(self.metrics())
        names = dict.fromkeys(name for line in lines for name in line)
        return {
            name: np.array([_number(line.get(name)) for line in lines], dtype=np.float64)
            for name in names
        }

    def frame(self) -> Any:
        """As `columns`, as a pandas DataFrame with a row a step; ValueError without pandas."""
        check_extra("pandas")
        from pandas import DataFrame

        columns = self.columns()
        steps = columns.pop("step", np.zeros(0)).astype(np.int64)
        found = DataFrame(columns, index=steps)
        found.index.name = "step"
        return found

    def updates(self) -> dict[str, NDArray[np.float64]]:
        """One array per metric of single gradient updates, with their numbers as `update`."""
        found: dict[str, list[float]] = {}
        for _, line in CheckedLines(self.path / UPDATES):
            values = {name: value for name, value in line.items() if isinstance(value, list)}
            count, first = max(map(len, values.values()), default=0), _number(line.get("first"))
            found.setdefault("update", []).extend(first + np.arange(count))
            for name, of_line in values.items():
                found.setdefault(name, []).extend(map(_number, of_line))
        return {name: np.array(values, np.float64) for name, values in found.items()}

    def timings(self) -> Iterator[dict[str, Any]]:
        """One line per step: how many seconds it took, and when it ended."""
        return (line for _, line in CheckedLines(self.path / TIMINGS))

    def notes(self) -> Iterator[dict[str, Any]]:
        """One line per note: its step and a sentence; `aloud` is false if it was not printed,
        `alarm` true if somebody should act."""
        return (line for _, line in CheckedLines(self.path / NOTES))

    def samples(self) -> Iterator[dict[str, Any]]:
        """One line per sample game, with its step: see `SampleGame`."""
        return (line for _, line in CheckedLines(self.path / SAMPLES))

    def newest_sample(self) -> dict[str, Any] | None:
        """The last of `samples`, found without reading the others."""
        return last_line(self.path / SAMPLES, MAX_SAMPLE_BYTES)

    def best(self) -> Best | None:
        """By the newest card that can be read: every checkpoint knows the best one so far."""
        for step in reversed(Checkpoints(self.path).steps()):
            try:
                return self._card(step).best
            except CorruptError:
                continue
        return None

    def notices(self) -> list[str]:
        """What is wrong with the files beside the checkpoints, in sentences."""
        return [*line_notices(self.path), *self._best_notices()]

    def _best_notices(self) -> list[str]:
        """best.json is for people and other programs; we follow the cards."""
        best = self.best()
        try:
            told = Best.parse(parse(read_plain(self.path / BEST, MAX_BEST_BYTES), BEST))
        except ValueError as error:
            damage = f"{BEST} is missing or damaged: {error}"
            return [f"{damage}; by the cards the best is step {best.step}"] if best else []
        if told == best:
            return []
        by_cards = f"it is step {best.step}" if best else "there is none yet"
        return [f"{BEST} says that step {told.step} is the best; by the cards {by_cards}"]

    def checkpoints(self) -> dict[int, Card | CorruptError]:
        """Every checkpoint's card, or what is wrong with it."""
        cards: dict[int, Card | CorruptError] = {}
        checkpoints = Checkpoints(self.path)
        for step in checkpoints.steps():
            try:
                cards[step] = read_card(checkpoints.path(step))
            except CorruptError as error:
                cards[step] = error
        return cards

    def checkpoint(self, version: str | int = "last") -> Found:
        """The weights of version "last", "best" or a step number. If "last" or "best" is corrupt,
        the newest good checkpoint takes its place. RunRefusedError if there is none."""
        steps = self._candidates(version)
        passed_over = []
        for step in steps:
            path = Checkpoints(self.path).path(step)
            try:
                card, weights = self._weights(path)
            except CorruptError as error:
                passed_over.append(f"{path} cannot be used: {error}")
            else:
                return Found(card=card, weights=weights, passed_over=tuple(passed_over))
        raise RunRefusedError("; ".join(passed_over) or f"{self.path} has no checkpoint yet")

    def _card(self, step: int) -> Card:
        card = read_card(Checkpoints(self.path).path(step))
        self._check_own(card)
        return card

    def _weights(self, path: Path) -> tuple[Card, Arrays]:
        card, weights = read_weights(path)
        self._check_own(card)
        return card, weights

    def _check_own(self, card: Card) -> None:
        if card.header.digest() != self.header.digest():
            raise CorruptError("it belongs to another run")

    def _candidates(self, version: str | int) -> list[int]:
        newest_first = Checkpoints(self.path).steps()[::-1]
        best = self.best()
        if version == "last" or (version == "best" and best is None):
            return newest_first
        if version == "best" and best is not None:
            return [best.step, *(step for step in newest_first if step != best.step)]
        step = int(version) if str(version).isdecimal() else -1
        if step not in newest_first:
            there = ", ".join(map(str, newest_first[::-1])) or "none"
            raise RunRefusedError(
                f"{self.path} has no checkpoint {version!r}: last, best or one of {there}"
            )
        return [step]


def _number(value: Any) -> float:
    try:
        return float(value) if isinstance(value, int | float) else np.nan
    except OverflowError:
        return np.nan


def list_runs(root: Path) -> list[RunDirectory]:
    """All runs directly below `root`, sorted by name."""
    if not root.is_dir():
        return []
    runs = []
    for path in sorted(root.iterdir()):
        if path.name.startswith(DELETED):
            continue
        try:
            runs.append(RunDirectory(path))
        except RunRefusedError:
            continue
    return runs


def free_name(root: Path, stem: str, taken: Collection[str] = ()) -> str:
    """The first of `stem`1, `stem`2, ... that is neither in `root` nor in `taken`."""
    number = 1
    while (name := f"{stem}{number}") in taken or (root / name).exists():
        number += 1
    return name


def delete_run(path: Path) -> None:
    """RunRefusedError if it is no run or is being written."""
    RunDirectory(path)
    if path.is_symlink():
        raise RunRefusedError(f"{path} is a link: delete the run it points to, {path.resolve()}")
    lock = Lock(path)
    try:
        # Renamed first, so that a kill cannot leave half a run.
        doomed = path.with_name(f"{DELETED}{path.name}")
        if doomed.exists():
            remove(doomed)
        path.rename(doomed)
        remove(doomed)
    finally:
        lock.release()
