"""The command line with the toy learner, and the files of its runs."""

import os
import subprocess
import sys
from pathlib import Path
from typing import IO

TESTS = Path(__file__).parents[2]
PROGRAM = "from unit.learners.toy import main; main()"


def toy(
    *arguments: str, cwd: Path, stderr: "int | IO[bytes]" = subprocess.PIPE
) -> "subprocess.CompletedProcess[str]":
    paths = [str(TESTS), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr,
        text=True, cwd=cwd, env=environment, timeout=120, check=False,
    )  # fmt: skip


def files_below(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def outcome(run: Path) -> dict[str, bytes]:
    """The files that do not depend on how often a run was stopped: lines, games, the best, the
    last checkpoint."""
    last = max((run / "checkpoints").iterdir())
    lines = ("metrics.jsonl", "updates.jsonl", "notes.jsonl", "games/samples.jsonl")
    names = (*lines, "best.json")
    files = [*(run / name for name in names), *last.iterdir()]
    return {str(path.relative_to(run)): path.read_bytes() for path in files if path.exists()}
