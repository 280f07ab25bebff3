"""Append-only JSON lines. What a kill cut off is no line yet."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from selfmate.runs.errors import DamagedError
from selfmate.runs.files import PLAIN, open_plain, write_all
from selfmate.runs.json_text import json_line, parse
from selfmate.runs.run import Json

MOST_LINE_BYTES = 2**20


class LineFile:
    """For the one writer; `size_bytes` is where the next line goes."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | PLAIN, 0o644)
        self.size_bytes = os.fstat(self._descriptor).st_size

    def cut(self, size_bytes: int) -> None:
        os.ftruncate(self._descriptor, size_bytes)
        os.lseek(self._descriptor, size_bytes, os.SEEK_SET)
        self.size_bytes = size_bytes

    def append(self, entry: Mapping[str, Json]) -> None:
        line = json_line(entry)
        try:
            write_all(self._descriptor, line)
        except OSError:
            self.cut(self.size_bytes)
            raise
        self.size_bytes += len(line)

    def sync(self) -> None:
        os.fsync(self._descriptor)

    def close(self) -> None:
        os.close(self._descriptor)


def last_line(path: Path, most_bytes: int) -> dict[str, Any] | None:
    """The newest whole line, if lines have at most so many bytes: only the end is read."""
    try:
        with open_plain(path) as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 2 * most_bytes))
            # Behind the last line there may be half of another.
            lines = file.read(2 * most_bytes).rpartition(b"\n")[0]
        return parse(lines.rpartition(b"\n")[2], path.name)
    except DamagedError:
        return None


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Whole lines and the byte after each, up to the first that is damaged; none without a file."""
    try:
        file = open_plain(path)
    except DamagedError:
        return
    end = 0
    with file:
        while (line := file.readline(MOST_LINE_BYTES)).endswith(b"\n"):
            end += len(line)
            try:
                yield end, parse(line, path.name)
            except DamagedError:
                return
