"""What can be told of a player before it is loaded, for that takes longer than a GUI waits."""

import os
from contextlib import suppress
from typing import NamedTuple

from selfmate.players import PLAYERS
from selfmate.players.names import PlayerName, c_puct_setting, temperature_setting
from selfmate.weights import card_path, is_model

SEARCHES = b'"se_resnet"'  # in the card of nets that search
MOST_CARD_BYTES = 1 << 22


class Traits(NamedTuple):
    temperature: float | None = None  # as it is set; None: it has none
    c_puct: float | None = None  # as it is set; None: it does not search a tree
    # Thinks as long as it may where a GUI gives it time, because its name does not say how far.
    uses_time: bool = False


def traits_of(name: PlayerName) -> Traits:
    """ValueError when its settings are wrong."""
    if name.kind in PLAYERS:
        return Traits()
    temperature, c_puct = temperature_setting(name), c_puct_setting(name)
    simulations = name.settings.get("sims")
    if simulations == "0" or "by" in name.settings or not _is_searching(name.kind):
        return Traits(temperature)
    return Traits(temperature, c_puct, simulations is None)


def _is_searching(weights: str) -> bool:
    """By the card of what ships, or the newest of a run, alone: it decides which options are
    offered, nothing else."""
    with suppress(OSError, ValueError):
        path = card_path(weights) if is_model(weights) else _newest_card(weights)
        card = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            return SEARCHES in os.read(card, MOST_CARD_BYTES)
        finally:
            os.close(card)
    return False


def _newest_card(run: str) -> str:
    folder = f"{run}/checkpoints"
    newest = max((name for name in os.listdir(folder) if name.isdigit()), key=int)  # noqa: PTH208 - pathlib costs milliseconds
    return f"{folder}/{newest}/card.json"
