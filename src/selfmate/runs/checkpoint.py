"""One checkpoint: two files of arrays and a card in a directory that appears all at once."""

from dataclasses import dataclass, replace
from pathlib import Path

from selfmate.runs.card import MOST_CARD_BYTES, Card, FileNote
from selfmate.runs.errors import DamagedError
from selfmate.runs.files import read_plain, remove, sync_directory, write_file
from selfmate.runs.run import Arrays, Saved
from selfmate.runs.tensors import pack, unpack

WEIGHTS, REST, CARD = "weights.safetensors", "rest.safetensors", "card.json"


@dataclass(frozen=True)
class Checkpoint:
    card: Card
    saved: Saved


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


def read_checkpoint(path: Path) -> Checkpoint:
    card, weights = read_weights(path)
    rest = unpack(path / REST, card.files[REST])
    return Checkpoint(card, Saved(weights=weights, rest=rest, facts=card.facts))
