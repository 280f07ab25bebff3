"""Lines of JSON with a checksum each, so that damage to a file is noticed and no line is lost.

A line ends with `"crc32": "1a2b3c4d"`: the CRC-32 of the object's text without this last key.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from zlib import crc32

from selfmate.runs.files import open_plain, parse
from selfmate.runs.run import CorruptError, Json

CHECKSUM = re.compile(rb', "crc32": "([0-9a-f]{8})"\}\n?\Z')
MAX_LINE_BYTES = 2**20


def checked_line(entry: Mapping[str, Json]) -> bytes:
    """One line of JSON with its checksum. `entry` has a key at least; keys stay in the order given,
    so that the step comes first. ValueError if a number is not finite."""
    text = json.dumps(entry, allow_nan=False)
    return f'{text[:-1]}, "crc32": "{crc32(text.encode()):08x}"}}\n'.encode()


class LineReader:
    """Reads the lines of one file in their order.

    Version 0.1 wrote no checksums. Lines without one are read and counted in `unchecked`, but only
    at the start of a file: after a line with a checksum all must have one.
    """

    def __init__(self, name: str) -> None:
        self._name, self._has_checksums = name, False
        self.unchecked = 0

    def read(self, line: bytes) -> dict[str, Any]:
        """The object without its checksum; CorruptError if the line is damaged."""
        found = CHECKSUM.search(line)
        if found is None:
            return self._read_unchecked(line)
        self._has_checksums = True
        text = line[: found.start()] + b"}"
        if crc32(text) != int(found[1], 16):
            raise CorruptError("its checksum does not fit")
        return parse(text, "it")

    def _read_unchecked(self, line: bytes) -> dict[str, Any]:
        if self._has_checksums:
            raise CorruptError("its checksum is missing")
        entry = parse(line, "it")
        self.unchecked += 1
        return entry

    def unchecked_notice(self) -> str | None:
        """A sentence about lines without a checksum; None if there were none."""
        if not self.unchecked:
            return None
        return (
            f"{self._name} has {in_lines(self.unchecked)} without a checksum, as version 0.1 wrote "
            "them: damage to them cannot be noticed"
        )


class CheckedLines:
    """The whole lines of a file, each with the position after it. Damaged ones are left out; their
    numbers are in `damaged` once all lines are read. A line that a kill cut off is no line yet; a
    file that is missing has no lines."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.damaged: list[int] = []
        self._reader = LineReader(path.name)

    def __iter__(self) -> Iterator[tuple[int, dict[str, Any]]]:
        self.damaged, self._reader = [], LineReader(self._path.name)
        try:
            file = open_plain(self._path)
        except CorruptError:
            return
        end = number = 0
        with file:
            while (line := file.readline(MAX_LINE_BYTES)).endswith(b"\n"):
                end, number = end + len(line), number + 1
                try:
                    entry = self._reader.read(line)
                except CorruptError:
                    self.damaged.append(number)
                else:
                    yield end, entry
        if len(line) == MAX_LINE_BYTES:  # what follows is not read
            self.damaged.append(number + 1)

    def notices(self) -> list[str]:
        """Reads all lines; sentences about what is wrong with them, none if nothing is."""
        for _ in self:
            pass
        unchecked = self._reader.unchecked_notice()
        damaged = damage_notice(self._path.name, len(self.damaged), min(self.damaged, default=0))
        return [notice for notice in (damaged, unchecked) if notice is not None]


def damage_notice(name: str, count: int, first: int) -> str | None:
    """A sentence about damaged lines of a file; None if there are none."""
    if not count:
        return None
    if count == 1:
        return f"line {first} of {name} is damaged and left out"
    return f"{count:,} lines of {name} are damaged and left out, the first is line {first}"


def in_lines(count: int) -> str:
    return f"{count:,} line{'s' if count > 1 else ''}"
