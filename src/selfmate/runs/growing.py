"""Lines of a file that somebody else writes: each is read once, as it comes."""

from pathlib import Path
from typing import Any

from selfmate.runs.errors import DamagedError
from selfmate.runs.files import open_plain
from selfmate.runs.json_text import parse

MOST_BYTES = 2**22  # that are read at a time


class GrowingLines:
    def __init__(self, path: Path) -> None:
        self._path = path
        self.rewind()

    def rewind(self) -> None:
        """All is read again."""
        self._end, self._last = 0, b""  # of what was read, and its last line

    def more(self) -> tuple[bool, list[dict[str, Any]]]:
        """Whether what was read before is void, and some of the lines since then, none when there
        are none. It is when the run has gone back: what it writes from there on is different, even
        if it is as long."""
        try:
            with open_plain(self._path) as file:
                file.seek(self._end - len(self._last))
                is_void = file.read(len(self._last)) != self._last
                if is_void:
                    self.rewind()
                    file.seek(0)
                data = file.read(MOST_BYTES)
        except DamagedError:
            is_void, data = self._end > 0, b""
            self.rewind()
        return is_void, self._whole_lines(data)

    def _whole_lines(self, data: bytes) -> list[dict[str, Any]]:
        """Up to the first that is damaged, or not there to its end."""
        found = []
        for line in data.split(b"\n")[:-1]:
            try:
                found.append(parse(line, self._path.name))
            except DamagedError:
                break
            self._last = line + b"\n"
            self._end += len(self._last)
        return found


class GrowingFiles:
    """Several files of one run, which go back together."""

    def __init__(self, *paths: Path) -> None:
        self._files = [GrowingLines(path) for path in paths]

    def more(self) -> tuple[bool, list[list[dict[str, Any]]]]:
        """As of one file, for each."""
        parts = [file.more() for file in self._files]
        is_void = any(void for void, _ in parts)
        if is_void:
            for file in self._files:
                file.rewind()
            parts = [file.more() for file in self._files]
        return is_void, [lines for _, lines in parts]
