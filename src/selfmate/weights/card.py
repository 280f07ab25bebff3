"""The card of a model that ships: what it is, how it was trained, how strong it is."""

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator

from selfmate.weights import card_path


class Rating(BaseModel):
    """A rating on the ladder."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    player: str  # full name
    elo: float
    low: float | None  # of the 95 % interval
    high: float | None
    games: int
    scale: str

    @model_validator(mode="before")
    @classmethod
    def _on_a_named_scale(cls, given: Any) -> Any:
        """Cards of version 0.1 have a second number in place of the scale's name."""
        if not isinstance(given, dict) or "stockfish_scale" not in given:
            return given
        known = {name: value for name, value in given.items() if name != "stockfish_scale"}
        return {"scale": "scale of version 0.1", **known}


class ModelCard(BaseModel):
    """The contents of card.json."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    about: str
    learner: str
    commands: tuple[str, ...]  # that trained it, in order
    seed: int
    data: str
    minutes: float  # of training, on two cores
    figures: dict[str, float]  # metrics of its last validation or cycle
    settings: dict[str, Any]  # all settings of its run
    ratings: tuple[Rating, ...]
    player: dict[str, Any]  # the net and how it plays, as checkpoint cards have it
    weights_bytes: int
    weights_sha256: str
    licence: str = "GPL-3.0-or-later"

    @property
    def elo(self) -> float:
        """The best of its ratings; 0 if it has none."""
        return max((rating.elo for rating in self.ratings), default=0.0)


def read_card(name: str) -> ModelCard:
    return ModelCard.model_validate_json(Path(card_path(name)).read_bytes())
