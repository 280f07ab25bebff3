"""One checkpoint: two files of arrays and a card in a directory that appears all at once."""

from dataclasses import dataclass, replace
from pathlib import Path

from selfmate.runs.card import MOST_CARD_BYTES, Card, FileNote
from selfmate.runs.errors import DamagedError
from selfmate.runs.files import read_plain, remove, sync_directory, write_file
from selfmate.runs.pages import Pages
from selfmate.runs.run import Arrays, Saved, State
from selfmate.runs.steps import Plan
from selfmate.runs.tensors import pack, unpack

# What a learner may stumble over when a checkpoint is whole but not made for it.
MISFITS = (ValueError, TypeError, LookupError, ArithmeticError)
WEIGHTS, REST, CARD = "weights.safetensors", "rest.safetensors", "card.json"


@dataclass(frozen=True)
class Checkpoint:
    card: Card
    saved: Saved

    def load_into(self, state: State, plan: Plan) -> None:
        """One of MISFITS when it was not made for them."""
        card = self.card
        if (card.total, card.unit, card.done) != (plan.total, plan.unit, plan.done(card.step)):
            raise ValueError(f"step {card.step} was {card.done} of {card.total}")
        state.load(self.saved)


def write_checkpoint(path: Path, beside: Path, card: Card, saved: Saved) -> None:
    """`beside` is the name it has until it is whole; `path` must be free."""
    contents = {WEIGHTS: pack(saved.weights), REST: pack(saved.rest)}
    notes = {name: FileNote.of(data) for name, data in contents.items()}
    contents[CARD] = replace(card, files=notes).to_bytes()
    try:
        beside.mkdir()
        for name, data in contents.items():
            write_file(beside / name, data)
        sync_directory(beside)
        beside.rename(path)
    except OSError:
        if beside.exists():
            remove(beside)
        raise
    sync_directory(path.parent)


def read_card(path: Path) -> Card:
    """DamagedError unless the card is whole and belongs to the step its directory names."""
    if path.is_symlink():
        raise DamagedError("it is a link")
    card = Card.from_bytes(read_plain(path / CARD, MOST_CARD_BYTES))
    if card.step != int(path.name):
        raise DamagedError(f"its card is of step {card.step}")
    if card.files.keys() != {WEIGHTS, REST}:
        raise DamagedError(f"its card does not describe {WEIGHTS} and {REST}")
    return card


def read_weights(path: Path) -> tuple[Card, Arrays]:
    card = read_card(path)
    return card, unpack(path / WEIGHTS, card.files[WEIGHTS])


def read_checkpoint(path: Path, pages: Pages) -> Checkpoint:
    card, weights = read_weights(path)
    saved = Saved(
        weights=weights,
        rest=unpack(path / REST, card.files[REST]),
        facts=card.facts,
        pages=pages.read(card.pages),
    )
    return Checkpoint(card, saved)
