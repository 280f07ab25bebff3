"""The checkpoints of a run and the tensor files they consist of: writing, reading, keeping."""

import gzip
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from hashlib import file_digest
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load, load_file, save

from selfmate.runs.card import MAX_CARD_BYTES, WEIGHTS, Best, Card, FileNote, Header
from selfmate.runs.files import (
    make_directory,
    open_plain,
    pretty,
    read_plain,
    remove,
    replace_file,
    sync_directory,
    write_file,
)
from selfmate.runs.run import (
    Arrays,
    CorruptError,
    Json,
    Plan,
    RunFailedError,
    SavedState,
    State,
    check_finite,
)

SHARDS = "pages"  # the folder's name on disk, from before shards were called so
SHARD_FILE = re.compile(r"([0-9a-f]{64})\.safetensors(?:\.gz)?(?:\.tmp)?")
GZIP_LEVEL = 1  # higher levels take up to five times as long and save a few per cent more


def pack(arrays: Arrays) -> bytes:
    """The arrays as safetensors; ValueError if a number is not finite."""
    check_finite(arrays)
    # safetensors looks at memory, not at strides.
    return save({name: np.asarray(array, order="C") for name, array in arrays.items()})


def pack_file(arrays: Arrays, *, compress: bool) -> tuple[FileNote, bytes]:
    """The arrays as the content of a file, compressed by gzip or not, and its note."""
    data = pack(arrays)
    if not compress:
        return FileNote.of(data), data
    # Without a time in its header: equal arrays have equal files.
    compressed = gzip.compress(data, GZIP_LEVEL, mtime=0)
    return FileNote.of(compressed, unpacked_bytes=len(data)), compressed


def unpack(path: Path, note: FileNote) -> dict[str, NDArray[Any]]:
    """The arrays of a safetensors file, which `FileNote.path_of` a path names; CorruptError unless
    it is exactly the file noted."""
    path = note.path_of(path)
    _check_bytes(path, note)
    try:
        if note.unpacked_bytes is None:
            arrays = load_file(path)
        else:
            arrays = load(_unpacked(path, note.unpacked_bytes))
    except Exception as error:  # whatever the reader raises, the file is at fault
        raise CorruptError(f"{path.name} is not safetensors: {str(error)[:100]}") from error
    try:
        check_finite(arrays)
    except ValueError as error:
        raise CorruptError(f"{path.name}: {error}") from error
    return arrays


def _unpacked(path: Path, size_bytes: int) -> bytes:
    with open_plain(path) as file, gzip.GzipFile(fileobj=file) as unpacked:
        data = unpacked.read(size_bytes + 1)  # a forged file may hold far more
    if len(data) != size_bytes:
        raise CorruptError(f"it does not hold the {size_bytes:,} bytes that its card says")
    return data


def _check_bytes(path: Path, note: FileNote) -> None:
    # The size first: a forged giant is refused before it is read.
    with open_plain(path) as file:
        size_bytes = file.seek(0, 2)
        if size_bytes != note.size_bytes:
            raise CorruptError(
                f"{path.name} has {size_bytes:,} bytes instead of {note.size_bytes:,}"
            )
        file.seek(0)
        if file_digest(file, "sha256").hexdigest() != note.sha256:
            raise CorruptError(f"{path.name} is not the file its card describes")


@dataclass(frozen=True, kw_only=True)
class Shard:
    """Base of dataclasses whose fields are arrays, such as the games of a cycle: written once, and
    never changed. Subclasses check shapes and values when they are made."""

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """From what `arrays` returned; ValueError unless the names are those of the fields."""
        names = [field.name for field in fields(cls)]
        if sorted(arrays) != sorted(names):
            raise ValueError(f"the arrays are {sorted(arrays)}, not {sorted(names)}")
        return cls(**arrays)

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


class ShardStore:
    """The shards of a run, in files that its checkpoints share.

    A file is named after the digest of its content: the name of a shard never becomes a path, and a
    shard that is made again with other content is another file."""

    def __init__(self, directory: Path, *, compress: bool = False) -> None:
        """`compress` is about the shards that are written; others are read as they are."""
        self.folder, self._compress = directory / SHARDS, compress

    def write(
        self, shards: Mapping[str, Arrays], known: Mapping[str, FileNote]
    ) -> dict[str, FileNote]:
        """Notes of all shards, in their order. Shards in `known` are on disk already; their arrays
        are not looked at."""
        return {
            name: known[name] if name in known else self._write(name, arrays)
            for name, arrays in shards.items()
        }

    def read(self, notes: Mapping[str, FileNote]) -> dict[str, Arrays]:
        """CorruptError unless every shard is the one that was noted."""
        return {name: unpack(self._path(note.sha256), note) for name, note in notes.items()}

    def retain(self, needed: Collection[str]) -> None:
        """Deletes all shards, half-written ones too, whose digests are not in `needed`."""
        if not self.folder.is_dir():
            return
        for entry in list(self.folder.iterdir()):
            found = SHARD_FILE.fullmatch(entry.name)
            if found and found[1] not in needed:
                remove(entry)

    def _write(self, name: str, arrays: Arrays) -> FileNote:
        try:
            note, data = pack_file(arrays, compress=self._compress)
        except ValueError as error:
            raise ValueError(f"shard {name}: {error}") from error
        make_directory(self.folder)
        replace_file(note.path_of(self._path(note.sha256)), data)
        return note

    def _path(self, digest: str) -> Path:
        return self.folder / f"{digest}.safetensors"


CHECKPOINTS, BEST = "checkpoints", "best.json"
REST, CARD = "rest.safetensors", "card.json"
STEP_NAME = re.compile(r"[0-9]{8,18}")
LEFTOVER = re.compile(r"(new|old)-[0-9]{8,18}")
# What `State.load` may raise if a checkpoint is intact but was made for something else.
MISFITS = (ValueError, TypeError, LookupError, ArithmeticError)


@dataclass(frozen=True)
class Checkpoint:
    card: Card
    saved: SavedState

    def load_into(self, state: State, plan: Plan) -> None:
        """Raises one of MISFITS if the checkpoint was not made for this state and plan."""
        card = self.card
        if (card.total, card.unit, card.done) != (plan.total, plan.unit, plan.done(card.step)):
            raise ValueError(f"step {card.step} was {card.done} of {card.total}")
        state.load(self.saved)


def write_checkpoint(
    path: Path, beside: Path, card: Card, saved: SavedState, *, compress: bool
) -> None:
    """Writes weights, rest and card to the directory `beside`, which then becomes `path` at once.
    Nothing may be at `path`."""
    parts = {WEIGHTS: saved.weights, REST: saved.rest}
    packed = {name: pack_file(arrays, compress=compress) for name, arrays in parts.items()}
    contents = {note.path_of(beside / name): data for name, (note, data) in packed.items()}
    card = replace(card, files={name: note for name, (note, _) in packed.items()})
    contents[beside / CARD] = card.to_bytes()
    try:
        beside.mkdir()
        for file, data in contents.items():
            write_file(file, data)
        sync_directory(beside)
        beside.rename(path)
    except OSError:
        if beside.exists():
            remove(beside)
        raise
    sync_directory(path.parent)


def read_card(path: Path) -> Card:
    """CorruptError unless the card is intact and of the step that its directory is named after."""
    if path.is_symlink():
        raise CorruptError("it is a link")
    card = Card.from_bytes(read_plain(path / CARD, MAX_CARD_BYTES))
    if card.step != int(path.name):
        raise CorruptError(f"its card is of step {card.step}")
    if card.files.keys() != {WEIGHTS, REST}:
        raise CorruptError(f"its card does not describe {WEIGHTS} and {REST}")
    return card


def read_weights(path: Path) -> tuple[Card, Arrays]:
    card = read_card(path)
    return card, unpack(path / WEIGHTS, card.weights)


def read_checkpoint(path: Path, shards: ShardStore) -> Checkpoint:
    card, weights = read_weights(path)
    saved = SavedState(
        weights=weights,
        rest=unpack(path / REST, card.files[REST]),
        facts=card.facts,
        shards=shards.read(card.shards),
    )
    return Checkpoint(card, saved)


@dataclass(frozen=True, kw_only=True)
class Policy:
    """When checkpoints are written and which are kept. The first one, which later ones are compared
    with, and the best one are always kept."""

    checkpoint_every: int  # steps
    keep_last: int
    keep_every: int  # of the regular checkpoints, each N-th is kept; 0 keeps none
    compress: bool = False  # files are written by gzip

    def __post_init__(self) -> None:
        if self.checkpoint_every < 1 or self.keep_last < 1 or self.keep_every < 0:
            raise ValueError("checkpoint_every and keep_last are at least 1, keep_every at least 0")

    def regular(self, steps: list[int], best: int | None) -> list[int]:
        """Those of `steps` that have a checkpoint no matter when the run was stopped."""
        return [step for step in steps if step == best or step % self.checkpoint_every == 0]

    def keeps(self, steps: list[int], best: int | None) -> set[int]:
        """Which of the checkpoints at `steps` (ascending) are kept."""
        spacing = self.keep_every * self.checkpoint_every
        kept = {step for step in steps if step in (0, best) or (spacing and step % spacing == 0)}
        to_roll_back_to = self.regular(steps, best)[-1:]
        return kept | set(steps[-self.keep_last :]) | set(to_roll_back_to)


class Checkpoints:
    """The checkpoints in a run's directory, for reading."""

    def __init__(self, directory: Path) -> None:
        self.folder = directory / CHECKPOINTS
        self._shards = ShardStore(directory)

    def path(self, step: int) -> Path:
        return self.folder / f"{step:08d}"

    def steps(self) -> list[int]:
        """Ascending, by the names of directories alone: their content may be corrupt."""
        if not self.folder.is_dir():
            return []
        return sorted(int(entry.name) for entry in self.folder.iterdir() if _is_step(entry.name))

    def read(self, step: int, header: Header) -> Checkpoint:
        checkpoint = read_checkpoint(self.path(step), self._shards)
        if checkpoint.card.header.digest() != header.digest():
            raise CorruptError("it belongs to another run")
        return checkpoint

    def usable(
        self, header: Header, metrics_bytes: int, say: Callable[[str], None]
    ) -> Iterator[Checkpoint]:
        """The checkpoints that the run can resume from, newest first. `say` hears of those that are
        skipped. A run without checkpoints is fine; one that has no good one left is
        RunFailedError."""
        steps = self.steps()
        for step in reversed(steps):
            try:
                checkpoint = self.read(step, header)
                _check_metrics(checkpoint.card, metrics_bytes)
            except CorruptError as error:
                say(f"{self.path(step)} cannot be used: {error}")
            else:
                yield checkpoint
        if steps:
            raise RunFailedError(
                f"none of the checkpoints in {self.folder} can be used; nothing was changed"
            )


def _is_step(name: str) -> bool:
    return bool(STEP_NAME.fullmatch(name)) and name == f"{int(name):08d}"


def _check_metrics(card: Card, metrics_bytes: int) -> None:
    if card.metrics_bytes > metrics_bytes:
        raise CorruptError(
            f"metrics.jsonl has {metrics_bytes:,} bytes, fewer than the {card.metrics_bytes:,} "
            "it had then"
        )


class CheckpointWriter:
    """Writes the checkpoints of a run, with their shards and best.json, and deletes old ones."""

    def __init__(self, directory: Path, policy: Policy) -> None:
        self._directory, self._policy = directory, policy
        self._checkpoints = Checkpoints(directory)
        self._shards = ShardStore(directory, compress=policy.compress)
        self._known: Mapping[str, FileNote] = {}  # shards of the newest checkpoint, so on disk
        self._needed: dict[int, set[str]] = {}  # digests of shards, by step

    def save(self, card: Card, saved: SavedState) -> None:
        self._known = self._shards.write(saved.shards, self._known)
        card = replace(card, shards=self._known)
        make_directory(self._checkpoints.folder)
        path = self._checkpoints.path(card.step)
        beside, compress = path.with_name(f"new-{path.name}"), self._policy.compress
        write_checkpoint(path, beside, card, saved, compress=compress)
        self._needed[card.step] = _digests(card)
        self._tidy(card.best)

    def roll_back_to(self, card: Card | None) -> None:
        """Deletes all checkpoints after `card`, or all but the first if there is no card, and what
        a kill left behind."""
        self._known = card.shards if card else {}
        if self._checkpoints.folder.is_dir():
            for entry in list(self._checkpoints.folder.iterdir()):
                if LEFTOVER.fullmatch(entry.name):
                    remove(entry)
        for step in self._checkpoints.steps():
            if step > (card.step if card else 0):
                self._remove(step)
        self._tidy(card.best if card else None)

    def _tidy(self, best: Best | None) -> None:
        """Brings best.json, old checkpoints and shards in line with the newest checkpoint."""
        self._write_best(best)
        steps = self._checkpoints.steps()
        kept = self._policy.keeps(steps, best.step if best else None)
        for step in sorted(set(steps) - kept):
            self._remove(step)
        self._shards.retain({digest for step in sorted(kept) for digest in self._shards_of(step)})

    def _write_best(self, best: Best | None) -> None:
        path = self._directory / BEST
        if best is None:
            path.unlink(missing_ok=True)
            return
        checkpoint = self._checkpoints.path(best.step).relative_to(self._directory)
        entry: dict[str, Json] = {
            "step": best.step,
            "score": best.score,
            "checkpoint": str(checkpoint),
        }
        # Not flushed to disk: every card says the same.
        replace_file(path, pretty(entry), durable=False)

    def _shards_of(self, step: int) -> set[str]:
        """The digests on its card, which is read once; a card that is corrupt needs no shards."""
        if step not in self._needed:
            try:
                self._needed[step] = _digests(read_card(self._checkpoints.path(step)))
            except CorruptError:
                self._needed[step] = set()
        return self._needed[step]

    def _remove(self, step: int) -> None:
        self._needed.pop(step, None)
        # Renamed first: a kill must not leave half a checkpoint under a good name.
        path = self._checkpoints.path(step)
        old = path.with_name(f"old-{path.name}")
        path.rename(old)
        remove(old)


def _digests(card: Card) -> set[str]:
    return {note.sha256 for note in card.shards.values()}
