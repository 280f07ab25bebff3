"""All checkpoints of a run: which there are, which can be gone on from, which are kept."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from selfmate.runs.card import Card
from selfmate.runs.checkpoint import Checkpoint, read_card, read_checkpoint, write_checkpoint
from selfmate.runs.errors import DamagedError, RunFailedError
from selfmate.runs.files import make_directory, remove
from selfmate.runs.header import Header
from selfmate.runs.pages import Pages
from selfmate.runs.run import Saved

CHECKPOINTS = "checkpoints"
NAME = re.compile(r"[0-9]{8,18}")
LEFTOVER = re.compile(r"(new|old)-[0-9]{8,18}")


@dataclass(frozen=True, kw_only=True)
class Policy:
    """When checkpoints are written and which are kept, besides the first, which a run may always be
    compared with, and the best."""

    checkpoint_every: int  # steps
    keep_last: int
    keep_every: int  # of the regular ones every so many; 0 = none

    def __post_init__(self) -> None:
        if self.checkpoint_every < 1 or self.keep_last < 1 or self.keep_every < 0:
            raise ValueError("checkpoint_every and keep_last are at least 1, keep_every at least 0")

    def regular(self, steps: list[int], best: int | None) -> list[int]:
        """Those of `steps` whose checkpoints do not depend on when the run was stopped."""
        return [step for step in steps if step == best or step % self.checkpoint_every == 0]

    def keeps(self, steps: list[int], best: int | None) -> set[int]:
        """Which of the checkpoints at `steps` (ascending) stay."""
        spacing = self.keep_every * self.checkpoint_every
        kept = {step for step in steps if step in (0, best) or (spacing and step % spacing == 0)}
        to_go_back_to = self.regular(steps, best)[-1:]
        return kept | set(steps[-self.keep_last :]) | set(to_go_back_to)


class Checkpoints:
    def __init__(self, directory: Path) -> None:
        self.folder = directory / CHECKPOINTS
        self._pages = Pages(directory)
        self._needed: dict[int, set[str]] = {}  # digests of pages, by step

    def path(self, step: int) -> Path:
        return self.folder / f"{step:08d}"

    def steps(self) -> list[int]:
        """Ascending; damaged ones count until somebody reads them."""
        if not self.folder.is_dir():
            return []
        return sorted(int(entry.name) for entry in self.folder.iterdir() if self._is_ours(entry))

    def usable(
        self, header: Header, metrics_bytes: int, say: Callable[[str], None]
    ) -> Iterator[Checkpoint]:
        """Those this run can go on from, newest first. What is left out is said aloud; having none
        at all is fine, having none that is good is RunFailedError."""
        steps = self.steps()
        for step in reversed(steps):
            try:
                checkpoint = self.read(step, header)
                _check_metrics(checkpoint.card, metrics_bytes)
            except DamagedError as error:
                say(f"{self.path(step)} cannot be used: {error}")
            else:
                yield checkpoint
        if steps:
            raise RunFailedError(
                f"none of the checkpoints in {self.folder} can be used; nothing was changed"
            )

    def read(self, step: int, header: Header) -> Checkpoint:
        checkpoint = read_checkpoint(self.path(step), self._pages)
        if checkpoint.card.header.digest() != header.digest():
            raise DamagedError("it belongs to another run")
        return checkpoint

    def save(self, card: Card, saved: Saved) -> None:
        """Its pages are on disk already."""
        make_directory(self.folder)
        path = self.path(card.step)
        write_checkpoint(path, self.folder / f"new-{path.name}", card, saved)
        self._needed[card.step] = _digests(card)

    def retain(self, policy: Policy, best: int | None) -> None:
        steps = self.steps()
        for step in sorted(set(steps) - policy.keeps(steps, best)):
            self._remove(step)
        self._pages.retain({page for step in self.steps() for page in self._pages_of(step)})

    def go_back_to(self, step: int) -> None:
        """Forgets what is newer, which is damaged and will be made again, and half-done work."""
        if not self.folder.is_dir():
            return
        for entry in list(self.folder.iterdir()):
            if LEFTOVER.fullmatch(entry.name):
                remove(entry)
        for newer in self.steps():
            if newer > step:
                self._remove(newer)

    def _is_ours(self, entry: Path) -> bool:
        return bool(NAME.fullmatch(entry.name)) and entry.name == f"{int(entry.name):08d}"

    def _pages_of(self, step: int) -> set[str]:
        """From its card, which is read once; one that cannot be read needs nothing any more."""
        if step not in self._needed:
            try:
                self._needed[step] = _digests(read_card(self.path(step)))
            except DamagedError:
                self._needed[step] = set()
        return self._needed[step]

    def _remove(self, step: int) -> None:
        self._needed.pop(step, None)
        # Renamed first: a kill must not leave half a checkpoint under a good name.
        old = self.folder / f"old-{self.path(step).name}"
        self.path(step).rename(old)
        remove(old)


def _digests(card: Card) -> set[str]:
    return {note.sha256 for note in card.pages.values()}


def _check_metrics(card: Card, metrics_bytes: int) -> None:
    if card.metrics_bytes > metrics_bytes:
        raise DamagedError(
            f"metrics.jsonl has {metrics_bytes:,} bytes, fewer than the {card.metrics_bytes:,} "
            "it had then"
        )
