"""A run as one file to download: what it takes to look at it elsewhere and to play it."""

import zipfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile

from selfmate.runs import Checkpoints, RunDirectory

GAMES = "games"
MAX_BYTES = 2**30


def zipped(run: RunDirectory) -> Path:
    """A temporary file, which the caller deletes. It holds the run's own files, its sample games
    and its best and newest checkpoints; not its replay buffer. ValueError when that is too much."""
    files = list(_files(run))
    if sum(path.stat().st_size for path in files) > MAX_BYTES:
        raise ValueError(f"{run.path.name} is too large to download: copy its folder instead")
    with (
        NamedTemporaryFile(suffix=".zip", delete=False) as target,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
    ):
        for path in files:
            archive.write(path, Path(run.path.name) / path.relative_to(run.path))
    return Path(target.name)


def _files(run: RunDirectory) -> Iterator[Path]:
    """Links are left out: they may lead elsewhere."""
    checkpoints, best = Checkpoints(run.path), run.best()
    steps = {*checkpoints.steps()[-1:], *([best.step] if best is not None else [])}
    folders = [run.path / GAMES, *(checkpoints.path(step) for step in sorted(steps))]
    found = [*run.path.iterdir(), *(path for one in folders for path in one.rglob("*"))]
    for path in sorted(found):
        if path.is_file() and not path.is_symlink():
            yield path
