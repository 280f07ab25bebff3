"""Metrics of a run, its notes, timings and sample games: append-only files with a line per step."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from selfmate.runs.files import (
    PLAIN,
    json_line,
    make_directory,
    open_plain,
    parse,
    timestamp,
    write_all,
)
from selfmate.runs.run import CorruptError, Json, Note, SampleGame

METRICS, TIMINGS, NOTES = "metrics.jsonl", "timings.jsonl", "notes.jsonl"
GAMES, SAMPLES = "games", "games/samples.jsonl"
MAX_LINE_BYTES = 2**20
MAX_READ_BYTES = 2**22  # that `GrowingLines` reads at a time


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
        line = json_line(entry)
        try:
            write_all(self._descriptor, line)
        except OSError:
            self.truncate(self.size_bytes)
            raise
        self.size_bytes += len(line)

    def truncate_after(self, step: int) -> None:
        """Drops all lines of later steps."""
        size_bytes = 0
        for end, line in read_lines(self.path):
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
    """Appends what each step reports: metrics, notes, a sample game, and where the time went."""

    def __init__(self, directory: Path) -> None:
        self._metrics = LineFile(directory / METRICS)
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

    def add_sample(self, step: int, game: SampleGame) -> None:
        self._samples.append(game.entry(step))

    def add_timing(self, step: int, seconds: float, parts: Mapping[str, float]) -> None:
        """Times have a file of their own: all others are the same however fast a run was."""
        timing: dict[str, Json] = {"step": step, "seconds": round(seconds, 6), "time": timestamp()}
        if parts:
            timing["parts"] = {name: round(part, 6) for name, part in parts.items()}
        self._timings.append(timing)

    def sync(self) -> None:
        """Flushes the metrics to disk: a checkpoint counts on them."""
        self._metrics.sync()

    def roll_back_to(self, step: int, metrics_bytes: int) -> None:
        """Drops all lines after `step`, when metrics.jsonl had `metrics_bytes`."""
        self._metrics.truncate(metrics_bytes)
        for file in (self._timings, self._notes, self._samples):
            file.truncate_after(step)

    def close(self) -> None:
        for file in (self._metrics, self._timings, self._notes, self._samples):
            file.close()


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Whole lines, each with the position after it, up to the first corrupt one. A line that a kill
    cut off is no line yet; a file that is missing has no lines."""
    try:
        file = open_plain(path)
    except CorruptError:
        return
    end = 0
    with file:
        while (line := file.readline(MAX_LINE_BYTES)).endswith(b"\n"):
            end += len(line)
            try:
                yield end, parse(line, path.name)
            except CorruptError:
                return


def last_line(path: Path, max_bytes: int) -> dict[str, Any] | None:
    """The last whole line of a file whose lines have at most `max_bytes`; reads only the end."""
    try:
        with open_plain(path) as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 2 * max_bytes))
            # Half a line may follow the last whole one.
            lines = file.read(2 * max_bytes).rpartition(b"\n")[0]
        return parse(lines.rpartition(b"\n")[2], path.name)
    except CorruptError:
        return None


class GrowingLines:
    """Follows a file that another process writes: each line is read once, as it appears."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.rewind()

    def rewind(self) -> None:
        """The next `more` starts at the beginning."""
        self._end, self._last = 0, b""  # of what was read, and its last line

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
        """Up to the first line that is corrupt or incomplete."""
        found = []
        for line in data.split(b"\n")[:-1]:
            try:
                found.append(parse(line, self._path.name))
            except CorruptError:
                break
            self._last = line + b"\n"
            self._end += len(self._last)
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
