"""A stopped run to be damaged in many ways, each of which it must survive."""

import shutil
from collections.abc import Callable
from pathlib import Path

from selfmate.runs.on_disk import Session
from unit.runs.kept import result
from unit.runs.toy import run_toy

NEWEST, OLDER = "checkpoints/00000008", "checkpoints/00000006"
Damage = Callable[[Path], object]


class Patient:
    """A copy of the stopped run to be damaged, anew each time."""

    def __init__(self, stopped: Path, whole: dict[str, bytes], place: Path) -> None:
        self.stopped, self.whole, self.run = stopped, whole, place / "run"

    def check(self, damage: Damage, blamed: tuple[str, ...] = (NEWEST,)) -> str:
        """The run must go on from an older checkpoint, say why it passes over those `blamed`, and
        come to the same end."""
        shutil.copytree(self.stopped, self.run)
        damage(self.run)
        notices: list[str] = []
        run_toy(self.run, Session(resume=True, say=notices.append))
        assert result(self.run) == self.whole
        shutil.rmtree(self.run)
        said = [notice for notice in notices if "stumbled" not in notice]
        for notice, checkpoint in zip(said, blamed, strict=True):
            assert notice.startswith(f"{self.run / checkpoint} cannot be used: ")
        return said[-1]
