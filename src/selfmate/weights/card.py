"""The card of a net that ships: what it is, how it was made, how strong it is."""

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from selfmate.weights import card_path


class Rating(BaseModel):
    """On the ladder, where random is zero."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    player: str  # with its settings
    elo: float
    low: float | None  # of the 95 % interval
    high: float | None
    games: int
    stockfish_scale: float | None  # the same, shifted to fit the names of Stockfish's levels


class ModelCard(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    about: str
    learner: str
    commands: tuple[str, ...]  # that made it, in order
    seed: int
    data: str
    minutes: float  # of training, on two cores
    figures: dict[str, float]  # of its last validation or cycle
    settings: dict[str, Any]  # of its run, all of them
    ratings: tuple[Rating, ...]
    player: dict[str, Any]  # how the weights are played
    weights_bytes: int
    weights_sha256: str
    licence: str = "GPL-3.0-or-later"

    @property
    def elo(self) -> float:
        """At the best setting that was measured."""
        return max((rating.elo for rating in self.ratings), default=0.0)


def read_card(name: str) -> ModelCard:
    return ModelCard.model_validate_json(Path(card_path(name)).read_bytes())
