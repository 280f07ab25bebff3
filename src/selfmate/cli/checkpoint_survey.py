"""All checkpoints of a run, verified: what is in each, and what the newest remembers."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from selfmate.runs.card import FileNote
from selfmate.runs.checkpoint import Checkpoint, read_card, read_checkpoint
from selfmate.runs.checkpoints import Checkpoints
from selfmate.runs.errors import DamagedError
from selfmate.runs.pages import Pages

if TYPE_CHECKING:
    from selfmate.runs.directory import RunDirectory
    from selfmate.runs.run import Arrays


@dataclass(frozen=True, kw_only=True)
class Survey:
    checkpoints: list[dict[str, Any]]  # oldest first; damaged ones with the reason
    newest: Checkpoint | None  # that is good, with all its pages
    size_bytes: int  # of all good ones, with each page once


class _FreshPages(Pages):
    """Checkpoints share their pages: each is read for the first good one alone."""

    def __init__(self, run: "RunDirectory") -> None:
        super().__init__(run.path)
        self.notes = set[FileNote]()

    def read(self, notes: "Mapping[str, FileNote]") -> "dict[str, Arrays]":
        fresh = super().read({n: note for n, note in notes.items() if note not in self.notes})
        self.notes |= set(notes.values())
        return fresh


def survey(run: "RunDirectory") -> Survey:
    """Newest first, because only the first good one is read with all its pages."""
    pages, newest, size_bytes = _FreshPages(run), None, 0
    entries: list[dict[str, Any]] = []
    for step in reversed(Checkpoints(run.path).steps()):
        try:
            checkpoint = _read(run, step, pages)
        except DamagedError as error:
            if Checkpoints(run.path).path(step).exists():  # else retention was quicker
                entries.append({"step": step, "damage": str(error)})
            continue
        newest = newest or checkpoint
        entries.append(_entry(checkpoint))
        size_bytes += entries[-1]["bytes"]
    size_bytes += sum(note.size_bytes for note in pages.notes)
    return Survey(checkpoints=entries[::-1], newest=newest, size_bytes=size_bytes)


def _read(run: "RunDirectory", step: int, pages: Pages) -> Checkpoint:
    path = Checkpoints(run.path).path(step)
    if read_card(path).header.digest() != run.header.digest():
        raise DamagedError("it belongs to another run")
    return read_checkpoint(path, pages)


def _entry(checkpoint: Checkpoint) -> dict[str, Any]:
    card, saved = checkpoint.card, checkpoint.saved
    return {
        "step": card.step,
        "damage": None,
        "done": card.done,
        "bytes": sum(note.size_bytes for note in card.files.values()),
        "page_bytes": sum(note.size_bytes for note in card.pages.values()),
        "player": dict(card.player),
        "weights": _shapes(saved.weights),
        "rest": _shapes(saved.rest),
        "facts": sorted(card.facts),
    }


def _shapes(arrays: "Arrays") -> dict[str, str]:
    """float32 [58, 200]"""
    return {name: f"{array.dtype} {list(array.shape)}" for name, array in arrays.items()}


def replay_of(checkpoint: Checkpoint) -> dict[str, Any] | None:
    """What its replay memory holds, if it has one; ValueError when that cannot be true."""
    from selfmate.data.experience import Episodes
    from selfmate.data.replay import pages_of_replay
    from selfmate.data.replay_analysis import analyse

    games = pages_of_replay(checkpoint.saved.pages)
    if not games:
        return None
    facts = analyse({name: Episodes.from_arrays(page) for name, page in games.items()})
    return {"step": checkpoint.card.step, **asdict(facts)}
