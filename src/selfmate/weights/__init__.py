"""Models: a folder each, with weights and a card that describes them.

Those that ship are in this package, made by `scripts/ship.py`. A folder elsewhere is a model by its
path. This module imports nothing heavy, because the UCI engine needs
it before it answers `uci`.
"""

import os

FOLDER = os.path.dirname(__file__)  # noqa: PTH120 - pathlib costs UCI milliseconds
STRONGEST = "alphazero-tiny"  # by the ratings on the cards


def is_model(name: str) -> bool:
    """Whether a model of this name ships, or the path is the folder of a model."""
    return all(os.path.isfile(path) for path in (card_path(name), weights_path(name)))  # noqa: PTH113


def model_names() -> list[str]:
    """The names of all models that ship."""
    return sorted(name for name in os.listdir(FOLDER) if is_model(name))  # noqa: PTH208


def card_path(name: str) -> str:
    return f"{folder_of(name)}/card.json"


def weights_path(name: str) -> str:
    return f"{folder_of(name)}/weights.safetensors"


def folder_of(name: str) -> str:
    """The folder of a model."""
    return name if "/" in name else f"{FOLDER}/{name}"


def strongest() -> str | None:
    """The strongest model; None if no model ships."""
    return STRONGEST if is_model(STRONGEST) else None
