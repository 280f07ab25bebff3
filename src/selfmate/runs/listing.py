"""The runs below a directory: finding them, deleting one."""

from collections.abc import Collection
from pathlib import Path

from selfmate.runs.directory import RunDirectory
from selfmate.runs.errors import RunRefusedError
from selfmate.runs.files import remove
from selfmate.runs.lock import Lock

DELETED = ".deleted-"


def list_runs(root: Path) -> list[RunDirectory]:
    """By name; what is no run is left out."""
    if not root.is_dir():
        return []
    runs = []
    for path in sorted(root.iterdir()):
        if path.name.startswith(DELETED):
            continue
        try:
            runs.append(RunDirectory(path))
        except RunRefusedError:
            continue
    return runs


def free_name(root: Path, stem: str, taken: Collection[str] = ()) -> str:
    """The first of `stem`1, `stem`2 ... that is neither there nor taken."""
    number = 1
    while (name := f"{stem}{number}") in taken or (root / name).exists():
        number += 1
    return name


def delete_run(path: Path) -> None:
    """RunRefusedError when it is no run or is being written."""
    RunDirectory(path)
    if path.is_symlink():
        raise RunRefusedError(f"{path} is a link: delete the run it leads to, {path.resolve()}")
    lock = Lock(path)
    try:
        # Renamed first, so that a kill cannot leave half a run.
        doomed = path.with_name(f"{DELETED}{path.name}")
        if doomed.exists():
            remove(doomed)
        path.rename(doomed)
        remove(doomed)
    finally:
        lock.release()
