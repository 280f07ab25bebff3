"""A stopped run that is damaged in many ways and must resume each time."""

import shutil
from collections.abc import Callable
from pathlib import Path

from selfmate.runs.session import Session
from unit.runs.kept import result
from unit.runs.toy import run_toy

NEWEST, OLDER = "checkpoints/00000008", "checkpoints/00000006"
Damage = Callable[[Path], object]


class CorruptedRun:
    """Damages a new copy of the stopped run with each `check`."""

    def __init__(self, stopped: Path, whole: dict[str, bytes], place: Path) -> None:
        self.stopped, self.whole, self.run = stopped, whole, place / "run"

    def check(self, damage: Damage, blamed: tuple[str, ...] = (NEWEST,)) -> str:
        """The run must resume from an older checkpoint, say why it skips those `blamed`, and end
        with the same result. Returns the last notice."""
        shutil.copytree(self.stopped, self.run)
        damage(self.run)
        notices: list[str] = []
        run_toy(self.run, Session(resume=True, say=notices.append))
        assert result(self.run) == self.whole
        shutil.rmtree(self.run)
        reasons = [notice for notice in notices if "stumbled" not in notice]
        for notice, checkpoint in zip(reasons, blamed, strict=True):
            assert notice.startswith(f"{self.run / checkpoint} cannot be used: ")
        return reasons[-1]
