"""Nets that ship with the package: a folder each, of weights and a card that tells all of them.

`python -m selfmate.experiments.ship` makes them. Here is only what must be instant.
"""

import os

FOLDER = os.path.dirname(__file__)  # noqa: PTH120 - pathlib costs UCI milliseconds
STRONGEST = "alphazero-tiny"  # by the ratings on the cards


def is_model(name: str) -> bool:
    return "/" not in name and os.path.isfile(card_path(name))  # noqa: PTH113


def model_names() -> list[str]:
    return sorted(name for name in os.listdir(FOLDER) if is_model(name))  # noqa: PTH208


def card_path(name: str) -> str:
    return f"{FOLDER}/{name}/card.json"


def weights_path(name: str) -> str:
    return f"{FOLDER}/{name}/weights.safetensors"


def strongest() -> str | None:
    """None when no net ships."""
    return STRONGEST if is_model(STRONGEST) else None
