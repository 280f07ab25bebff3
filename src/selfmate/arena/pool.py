"""Results that are kept and used again: who scored what against whom, in pairs of games."""

import json
import os
from pathlib import Path
from typing import IO

from selfmate.arena.elo import Pentanomial
from selfmate.arena.rating import Pairing
from selfmate.runs.lock import take


class Pool:
    """An append-only file, one JSON object a line; a last line that was cut off is forgotten."""

    def __init__(self, path: Path, conditions: str) -> None:
        """`conditions` names what results must have in common, such as openings and ply limit."""
        self.path, self.conditions = path, conditions
        self.pairings: list[Pairing] = []
        if path.exists():
            self._read()

    def _read(self) -> None:
        text = self.path.read_text("utf-8")
        for number, line in enumerate(text.splitlines(keepends=True), start=1):
            if not line.endswith("\n"):  # somebody may be writing it now: it is left alone
                break
            try:
                entry = json.loads(line)
                pairs = Pentanomial(tuple(entry["pairs"]))
                pairing = Pairing(str(entry["player"]), str(entry["opponent"]), pairs)
                if entry["conditions"] == self.conditions:
                    self.pairings.append(pairing)
            except (KeyError, TypeError, ValueError) as error:
                raise ValueError(f"{self.path}, line {number} is damaged: {error!r}") from error

    def hold(self) -> IO[bytes]:
        """Keeps others from playing for this pool until it is closed; ValueError when one does."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        file = self.path.open("ab")
        if not take(file.fileno()):
            file.close()
            raise ValueError(f"another process is rating players for {self.path}: wait for it")
        return file

    def games(self, a: str, b: str) -> int:
        """Games between two players so far."""
        met = (p for p in self.pairings if {p.player, p.opponent} == {a, b})
        return sum(2 * pairing.pairs.pairs for pairing in met)

    def add(self, pairing: Pairing) -> None:
        """Keeps a result, on disk before anything else happens."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        entry = {
            "player": pairing.player,
            "opponent": pairing.opponent,
            "pairs": pairing.pairs.counts,
            "conditions": self.conditions,
        }
        with self.path.open("a+b") as file:
            _cut_torn_line(file)
            file.write(json.dumps(entry).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self.pairings.append(pairing)


def _cut_torn_line(file: IO[bytes]) -> None:
    """Drops what a kill left after the last whole line."""
    file.seek(0)
    file.truncate(file.read().rfind(b"\n") + 1)
