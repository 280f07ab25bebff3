"""Where a run lives: checked and locked before anything is written."""

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

from selfmate.runs.checkpoint import Checkpoint
from selfmate.runs.checkpoints import CHECKPOINTS, Checkpoints
from selfmate.runs.errors import DamagedError, RunRefusedError
from selfmate.runs.files import beside_name
from selfmate.runs.header import CONFIG, Header, read_header
from selfmate.runs.lock import LOCK, Lock
from selfmate.runs.pages import PAGES
from selfmate.runs.status import read_status
from selfmate.runs.writer import GAMES, METRICS, NOTES, SAMPLES, TIMINGS

# What a start that was killed at once may have left behind.
UNBEGUN = {LOCK, beside_name(Path(CONFIG)).name}


class Place:
    """`usable` are the checkpoints to go on from, newest first; none in a place that is new."""

    def __init__(
        self, directory: Path, header: Header, resume: bool, say: Callable[[str], None]
    ) -> None:
        self.directory = directory
        self._made: list[Path] = []
        self._lock: Lock | None = None
        holds_run = _check(directory, header, resume)
        last = _last_of_all(directory, header) if holds_run else None
        self.finished = last is not None
        self.usable: Iterator[Checkpoint] = iter([last] if last else [])
        if not self.finished:
            self._enter(header, resume, say)

    def leave(self, begun: bool) -> None:
        """A run that never began leaves nothing behind."""
        if self._lock is not None:
            if not begun and not (self.directory / CONFIG).exists():
                (self.directory / LOCK).unlink()
            self._lock.release()
        for directory in self._made:
            if not any(directory.iterdir()):
                directory.rmdir()

    def _enter(self, header: Header, resume: bool, say: Callable[[str], None]) -> None:
        self._made = _make_directories(self.directory)
        try:
            self._lock = Lock(self.directory)
            # Again: somebody may have started here between the first look and the lock.
            _check(self.directory, header, resume)
            good = Checkpoints(self.directory).usable(header, _metrics_bytes(self.directory), say)
            first = next(good, None)
        except BaseException:
            self.leave(begun=False)
            raise
        self.usable = chain([first], good) if first else iter(())


def _check(directory: Path, header: Header, resume: bool) -> bool:
    """Whether the directory holds a run that may go on; RunRefusedError when it is not for us."""
    if not directory.exists():
        return False
    if not directory.is_dir():
        raise RunRefusedError(f"{directory} is not a directory: choose another --run")
    names = {entry.name for entry in directory.iterdir()}
    if CONFIG not in names:
        if names - UNBEGUN:
            raise RunRefusedError(f"{directory} holds files but no run: choose another --run")
        return False
    if not resume:
        raise RunRefusedError(
            f"{directory} holds a run already: go on with it by --resume, or choose another --run"
        )
    _check_plain(directory)
    try:
        read_header(directory).check_same(header, directory)
    except DamagedError as error:
        raise RunRefusedError(f"{directory} cannot be resumed: {error}") from error
    return True


def _check_plain(directory: Path) -> None:
    """A link in a stranger's run must not make us write elsewhere."""
    directories = (CHECKPOINTS, PAGES, GAMES)
    for name in (*directories, LOCK, METRICS, TIMINGS, NOTES, SAMPLES):
        path = directory / name
        kind = "directory" if name in directories else "regular file"
        fits = path.is_dir() if kind == "directory" else path.is_file()
        if path.is_symlink() or (path.exists() and not fits):
            raise RunRefusedError(f"{directory} cannot be resumed: {name} is not a {kind}")


def _last_of_all(directory: Path, header: Header) -> Checkpoint | None:
    """The last checkpoint of a run that is finished, else None."""
    status = read_status(directory)
    if status is None or status.state != "finished":
        return None  # if only its ending is missing, that is made up for
    checkpoints = Checkpoints(directory)
    try:
        checkpoint = checkpoints.read(max(checkpoints.steps(), default=0), header)
    except DamagedError:
        return None
    return checkpoint if checkpoint.card.is_finished else None


def _make_directories(directory: Path) -> list[Path]:
    """Makes the directory and its parents; returns those that were missing, innermost first."""
    missing = [path for path in (directory, *directory.parents) if not path.exists()]
    directory.mkdir(parents=True, exist_ok=True)
    return missing


def _metrics_bytes(directory: Path) -> int:
    path = directory / METRICS
    return path.stat().st_size if path.exists() else 0
