"""Launches the scoring engine and knows which of its processes are left."""

import os
import shlex
import sys
from pathlib import Path

SCRIPT = Path(__file__).with_name("scoring_engine.py")


class ScoringEngine:
    def __init__(self, folder: Path, how: str = "good") -> None:
        self.path, self._log = folder / f"engine-{how}", folder / f"log-{how}"
        words = [sys.executable, str(SCRIPT), how, str(self._log)]
        self.path.write_text(f"#!/bin/sh\nexec {shlex.join(words)}\n")
        self.path.chmod(0o755)
        self.name = f"uci:path={self.path},nodes=9"

    def pids(self) -> list[int]:
        return [int(line.split()[1]) for line in self._lines() if line.startswith("pid")]

    def searches(self) -> int:
        return self._lines().count("go")

    def left(self) -> list[int]:
        """Processes that are still there, or were not waited for."""
        return [pid for pid in self.pids() if _is_there(pid)]

    def _lines(self) -> list[str]:
        return self._log.read_text().splitlines() if self._log.exists() else []


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
