"""Metrics of a run and of its updates, its notes, timings and sample games: append-only files with
lines of each step."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from selfmate.runs.files import PLAIN, make_directory, open_plain, timestamp, write_all
from selfmate.runs.lines import CheckedLines, LineReader, checked_line, damage_notice
from selfmate.runs.run import CorruptError, Json, Note, SampleGame

METRICS, TIMINGS, NOTES = "metrics.jsonl", "timings.jsonl", "notes.jsonl"
UPDATES = "updates.jsonl"
GAMES, SAMPLES = "games", "games/samples.jsonl"
LINES = (METRICS, UPDATES, TIMINGS, NOTES, SAMPLES)  # files with lines of a run
MAX_READ_BYTES = 2**22  # that `GrowingLines` reads at a time
# A line for each update would be mostly names and checksums, and slow to read: hundreds of updates
# share a line, whose length is limited all the same.
UPDATES_PER_LINE = 1000


class LineFile:
    """A file of JSON lines, for its only writer; `size_bytes` is where the next line begins."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | PLAIN, 0o644)
        self.size_bytes = os.fstat(self._descriptor).st_size

    def truncate(self, size_bytes: int) -> None:
        os.ftruncate(self._descriptor, size_bytes)
        os.lseek(self._descriptor, size_bytes, os.SEEK_SET)
        self.size_bytes = size_bytes

    def append(self, entry: Mapping[str, Json]) -> None:
        line = checked_line(entry)
        try:
            write_all(self._descriptor, line)
        except OSError:
            self.truncate(self.size_bytes)
            raise
        self.size_bytes += len(line)

    def truncate_after(self, step: int) -> None:
        """Drops all lines of later steps."""
        size_bytes = 0
        for end, line in CheckedLines(self.path):
            number = line.get("step")
            if not isinstance(number, int) or number > step:
                break
            size_bytes = end
        self.truncate(size_bytes)

    def sync(self) -> None:
        os.fsync(self._descriptor)

    def close(self) -> None:
        os.close(self._descriptor)


class MetricsWriter:
    """Appends what each step reports: metrics, also of its updates, notes, a sample game, and where
    the time went."""

    def __init__(self, directory: Path) -> None:
        self._metrics = LineFile(directory / METRICS)
        self._updates = LineFile(directory / UPDATES)
        self._timings = LineFile(directory / TIMINGS)
        self._notes = LineFile(directory / NOTES)
        make_directory(directory / GAMES)
        self._samples = LineFile(directory / SAMPLES)

    @property
    def metrics_bytes(self) -> int:
        return self._metrics.size_bytes

    def add(self, line: Mapping[str, float], notes: Sequence[Note]) -> None:
        """The metrics of a step, with the keys that every line has, and its notes."""
        self._metrics.append(line)
        for note in notes:
            entry: dict[str, Json] = {"step": line["step"], "note": note.text}
            if not note.aloud:
                entry["aloud"] = False
            if note.alarm:
                entry["alarm"] = True
            self._notes.append(entry)

    def add_updates(self, step: int, first: int, metrics: Mapping[str, Sequence[float]]) -> None:
        """The metrics of single updates, from number `first` on, to six digits."""
        count = max(map(len, metrics.values()), default=0)
        for begin in range(0, count, UPDATES_PER_LINE):
            part = slice(begin, begin + UPDATES_PER_LINE)
            line: dict[str, Json] = {"step": step, "first": first + begin}
            line |= {name: _rounded(values[part]) for name, values in metrics.items()}
            self._updates.append(line)

    def add_sample(self, step: int, game: SampleGame) -> None:
        self._samples.append(game.entry(step))

    def add_timing(
        self, step: int, seconds: float, parts: Mapping[str, float], cluster: Mapping[str, float]
    ) -> None:
        """Times, memory and what workers did have a file of their own: all others are the same on
        every machine."""
        timing: dict[str, Json] = {"step": step, "seconds": round(seconds, 6), "time": timestamp()}
        if (memory := resident_memory_mb()) is not None:
            timing["memory_mb"] = memory
        if parts:
            timing["parts"] = {name: round(part, 6) for name, part in parts.items()}
        if cluster:
            timing["cluster"] = {name: round(value, 6) for name, value in cluster.items()}
        self._timings.append(timing)

    def sync(self) -> None:
        """Flushes the metrics to disk: a checkpoint counts on them."""
        self._metrics.sync()

    def roll_back_to(self, step: int, metrics_bytes: int) -> None:
        """Drops all lines after `step`, when metrics.jsonl had `metrics_bytes`."""
        self._metrics.truncate(metrics_bytes)
        for file in (self._updates, self._timings, self._notes, self._samples):
            file.truncate_after(step)

    def close(self) -> None:
        for file in (self._metrics, self._updates, self._timings, self._notes, self._samples):
            file.close()


def resident_memory_mb() -> float | None:
    """What this process holds in memory, in MB (2^20 bytes); None if the system does not say."""
    try:
        status = Path("/proc/self/status").read_text("ascii")
    except OSError:
        return None
    kilobytes = re.search(r"^VmRSS:\s+(\d+) kB$", status, re.MULTILINE)
    return round(int(kilobytes[1]) / 2**10, 1) if kilobytes else None


def _rounded(values: Sequence[float]) -> list[Json]:
    return [float(f"{value:.6g}") for value in values]


def line_notices(directory: Path) -> list[str]:
    """What is wrong with the lines of a run: damaged ones, and those without a checksum."""
    return [notice for name in LINES for notice in CheckedLines(directory / name).notices()]


def last_line(path: Path, max_bytes: int) -> dict[str, Any] | None:
    """The last whole line of a file whose lines have at most `max_bytes`; reads only the end."""
    try:
        with open_plain(path) as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 2 * max_bytes))
            # Half a line may follow the last whole one.
            lines = file.read(2 * max_bytes).rpartition(b"\n")[0]
        return LineReader(path.name).read(lines.rpartition(b"\n")[2])
    except CorruptError:
        return None


class GrowingLines:
    """Follows a file that another process writes: each line is read once, as it appears. Damaged
    lines are left out."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.rewind()

    def rewind(self) -> None:
        """The next `more` starts at the beginning."""
        self._end, self._last = 0, b""  # of what was read, and its last line
        self._reader = LineReader(self._path.name)
        self._lines = 0
        self._damaged: list[int] = []

    def damage(self) -> str | None:
        """A sentence about the damaged lines so far; None if there were none."""
        return damage_notice(self._path.name, len(self._damaged), min(self._damaged, default=0))

    def more(self) -> tuple[bool, list[dict[str, Any]]]:
        """Whether all lines returned so far are void, and some of the lines that follow; none if
        there are none. Lines become void when the run rolls back: it then writes others in their
        place, even if the file is as long as before."""
        try:
            with open_plain(self._path) as file:
                file.seek(self._end - len(self._last))
                is_void = file.read(len(self._last)) != self._last
                if is_void:
                    self.rewind()
                    file.seek(0)
                data = file.read(MAX_READ_BYTES)
        except CorruptError:
            is_void, data = self._end > 0, b""
            self.rewind()
        return is_void, self._whole_lines(data)

    def _whole_lines(self, data: bytes) -> list[dict[str, Any]]:
        found = []
        for line in data.split(b"\n")[:-1]:
            self._lines += 1
            self._last = line + b"\n"
            self._end += len(self._last)
            try:
                found.append(self._reader.read(line))
            except CorruptError:
                self._damaged.append(self._lines)
        return found


class GrowingFiles:
    """Follows several files of one run, which roll back together."""

    def __init__(self, *paths: Path) -> None:
        self._files = [GrowingLines(path) for path in paths]

    def more(self) -> tuple[bool, list[list[dict[str, Any]]]]:
        """As `GrowingLines.more`, with the lines of each file."""
        parts = [file.more() for file in self._files]
        is_void = any(void for void, _ in parts)
        if is_void:
            for file in self._files:
                file.rewind()
            parts = [file.more() for file in self._files]
        return is_void, [lines for _, lines in parts]

    def damage(self) -> list[str]:
        """A sentence for each file with damaged lines."""
        return [damage for file in self._files if (damage := file.damage()) is not None]
