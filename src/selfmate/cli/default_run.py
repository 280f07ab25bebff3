"""Where runs are kept when nobody says where: runs/LEARNER-PRESET-N."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from selfmate.learners.config import Config

RUNS = Path("runs")


def default_directory(learner: str, preset: str, config: "Config", resume: bool) -> Path:
    """A free one; to resume, the newest with the same settings, rather one that is not finished."""
    from selfmate.runs.listing import free_name

    stem = f"{learner}-{preset}-"
    same = _same_runs(stem, config.plain()) if resume else []
    return same[-1] if same else RUNS / free_name(RUNS, stem)


def _same_runs(stem: str, config: dict[str, Any]) -> list[Path]:
    """Finished ones first, and each kind by number."""
    from selfmate.runs.listing import list_runs

    found = []
    for run in list_runs(RUNS):
        number = run.path.name.removeprefix(stem)
        if number.isdecimal() and run.path.name.startswith(stem) and run.config == config:
            found.append((run.status().state != "finished", int(number), run.path))
    return [path for _, _, path in sorted(found)]
