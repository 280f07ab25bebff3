"""The folder an import writes to: empty at first, then unfinished, then a whole folder of chunks.

What it needs on the way is in `unfinished/`, with the import's origin in `origin.json`, so that the
same import can go on there and no other one.
"""

import os
import shutil
from pathlib import Path

from pydantic import ValidationError

from selfmate.data.chunks import MANIFEST, ChunkFolder, GameTally, Manifest, Origin
from selfmate.runs.files import beside_name, make_directory, replace_file
from selfmate.runs.lock import take

UNFINISHED = "unfinished"
DROPPED = "dropped.tsv"
ORIGIN = "origin.json"
TALLY = "tally.json"


class ImportFolder:
    """For the one writer; ValueError when the folder holds anything else or is being written."""

    def __init__(self, path: Path) -> None:
        self.path, self.unfinished = path, path / UNFINISHED
        if path.exists() and not path.is_dir():
            raise ValueError(f"{path} is a file, not a folder for chunks")
        path.mkdir(parents=True, exist_ok=True)
        self._descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            if not take(self._descriptor):
                raise ValueError(f"{path} is being written by another process")
            self._check_is_ours()
        except BaseException:
            os.close(self._descriptor)
            raise

    def close(self) -> None:
        os.close(self._descriptor)

    def begin(self, origin: Origin) -> Manifest | None:
        """Begins, or goes on, or returns the manifest of what is there already; ValueError when
        that has another origin."""
        if (self.path / MANIFEST).exists():
            manifest = ChunkFolder(self.path).manifest
            _check_same(self.path, manifest, origin)
            self._clean_up()
            return manifest
        make_directory(self.unfinished)
        known = self.unfinished / ORIGIN
        if known.exists():
            _check_same(self.path, _read(known), origin)
        else:
            replace_file(known, origin.model_dump_json(indent=1).encode())
        return None

    def tally(self) -> GameTally | None:
        """Of the games, once all of them were read."""
        path = self.unfinished / TALLY
        return GameTally.model_validate_json(path.read_bytes()) if path.exists() else None

    def end_reading(self, tally: GameTally, dropped_table: str) -> None:
        replace_file(self.path / DROPPED, dropped_table.encode())
        replace_file(self.unfinished / TALLY, tally.model_dump_json(indent=1).encode())

    def finish(self, manifest: Manifest) -> None:
        replace_file(self.path / MANIFEST, manifest.model_dump_json(indent=1).encode())
        self._clean_up()

    def discard(self) -> None:
        """Leaves nothing of an import that cannot be finished."""
        (self.path / DROPPED).unlink(missing_ok=True)
        self._clean_up()
        if not any(self.path.iterdir()):
            self.path.rmdir()

    def _clean_up(self) -> None:
        # By its name it is whole: a folder that lost only its origin would be nobody's.
        if self.unfinished.exists():
            gone = beside_name(self.unfinished)
            self.unfinished.rename(gone)
            shutil.rmtree(gone)

    def _check_is_ours(self) -> None:
        gone = beside_name(self.unfinished)
        strangers = _names(self.path) - {self.unfinished.name, gone.name}
        strangers |= _names(self.unfinished) - {beside_name(Path(ORIGIN)).name}
        begun = (self.path / MANIFEST).exists() or (self.unfinished / ORIGIN).exists()
        if strangers and not begun:
            raise ValueError(
                f"{self.path} holds something else, such as {min(strangers)}: choose a folder "
                "that is empty or not there"
            )
        shutil.rmtree(gone, ignore_errors=True)


def _names(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()} if folder.is_dir() else set()


def _read(path: Path) -> Origin:
    try:
        return Origin.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise ValueError(f"{path} is damaged: {error.errors()[0]['msg']}") from error


def _check_same(path: Path, made: Origin, asked: Origin) -> None:
    for key in sorted({*made.settings, *asked.settings}):
        old, new = made.settings.get(key), asked.settings.get(key)
        if old != new:
            raise ValueError(
                f"{path} was made with {key} {old}, not {new}: ask for the same, or choose "
                "another folder"
            )
    if made.inputs != asked.inputs or made.stored_version != asked.stored_version:
        names = ", ".join(file.name for file in made.inputs)
        raise ValueError(
            f"{path} was made from other files ({names}), or they have changed since: choose "
            "another folder"
        )
