"""The games that were left out: how many for which reason, and where they stand."""

import re
from collections import Counter

MOST_LISTED = 1000  # of a reason; a file may hold millions
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")


class DroppedGames:
    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._lines: list[str] = []

    def add(self, file: str, line: int, reason: str, detail: str) -> None:
        self.counts[reason] += 1
        if self.counts[reason] <= MOST_LISTED:
            fields = (file, str(line), reason, detail)
            self._lines.append("\t".join(_UNPRINTABLE.sub(" ", field) for field in fields))

    def table(self) -> str:
        """Tab-separated: file, line, reason and what the game itself says, the first of each
        reason in the order of the files."""
        return "\n".join(["file\tline\treason\tdetail", *self._lines, ""])
