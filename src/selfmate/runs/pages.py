"""The pages of a run: arrays that never change, in files that checkpoints share."""

import re
from collections.abc import Collection, Mapping
from pathlib import Path

from selfmate.runs.card import FileNote
from selfmate.runs.files import make_directory, remove, replace_file
from selfmate.runs.run import Arrays
from selfmate.runs.tensors import pack, unpack

PAGES = "pages"
OURS = re.compile(r"([0-9a-f]{64})\.safetensors(?:\.tmp)?")


class Pages:
    """A file is named after the digest of its content: what a page is called never becomes a path,
    and a page made again with other content is another file."""

    def __init__(self, directory: Path) -> None:
        self.folder = directory / PAGES

    def write(
        self, pages: Mapping[str, Arrays], known: Mapping[str, FileNote]
    ) -> dict[str, FileNote]:
        """Notes of all pages, in their order. Those `known` are on disk already and are not even
        looked at."""
        return {
            name: known[name] if name in known else self._write(name, arrays)
            for name, arrays in pages.items()
        }

    def read(self, notes: Mapping[str, FileNote]) -> dict[str, Arrays]:
        """DamagedError unless every page is the one that was noted."""
        return {name: unpack(self._path(note.sha256), note) for name, note in notes.items()}

    def retain(self, needed: Collection[str]) -> None:
        """Deletes all of ours that has none of the digests `needed`, half-written or not."""
        if not self.folder.is_dir():
            return
        for entry in list(self.folder.iterdir()):
            ours = OURS.fullmatch(entry.name)
            if ours and ours[1] not in needed:
                remove(entry)

    def _write(self, name: str, arrays: Arrays) -> FileNote:
        try:
            data = pack(arrays)
        except ValueError as error:
            raise ValueError(f"page {name}: {error}") from error
        note = FileNote.of(data)
        make_directory(self.folder)
        replace_file(self._path(note.sha256), data)
        return note

    def _path(self, digest: str) -> Path:
        return self.folder / f"{digest}.safetensors"
