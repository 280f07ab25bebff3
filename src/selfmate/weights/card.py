"""The card of a model that ships: what it is, how it was trained, how strong it is."""

from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from selfmate.weights import FOLDER, card_path

BASELINE = Path(FOLDER) / "teacher.json"


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


class Check(BaseModel):
    """A figure that anybody can have again within a minute: the games depend on nothing but the
    net and the random seed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["match", "tactics", "queen", "rook", "bishops"]
    player: str  # full name
    opponent: str | None = None  # of a match
    games: int = Field(ge=1)  # or puzzles, or won endgames
    points: float = Field(ge=0)  # of the match; puzzles solved; endgames won
    seed: int = 1

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        if (self.kind == "match") != (self.opponent is not None):
            raise ValueError("a match has an opponent, and nothing else has one")
        if self.points > self.games:
            raise ValueError(f"{self.points:g} points of {self.games} games are too many")
        return self


class PuzzleBand(BaseModel):
    """Puzzles of the Lichess database, which does not ship, that a player solved."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    player: str  # full name
    lowest: int = Field(ge=0)  # rating
    highest: int | None  # None: any
    puzzles: int = Field(ge=1)
    solved: int = Field(ge=0)


class Figures(BaseModel):
    """What was measured of a player, with several settings."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ratings: tuple[Rating, ...] = ()
    checks: tuple[Check, ...] = ()
    puzzle_bands: tuple[PuzzleBand, ...] = ()

    def of(self, player: str) -> "Figures":
        """Those of one way of playing, by its full name."""
        return Figures(
            ratings=tuple(one for one in self.ratings if one.player == player),
            checks=tuple(one for one in self.checks if one.player == player),
            puzzle_bands=tuple(one for one in self.puzzle_bands if one.player == player),
        )


class ModelCard(Figures):
    """The contents of card.json."""

    name: str
    about: str
    learner: str
    commands: tuple[str, ...]  # that trained it, in order
    seed: int
    data: str
    minutes: float  # of training, on two cores
    figures: dict[str, float]  # metrics of its last validation or cycle
    settings: dict[str, Any]  # all settings of its run
    weaknesses: str = ""  # that are known
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


def read_baseline() -> Figures:
    """What the teacher reaches, to compare nets with."""
    return Figures.model_validate_json(BASELINE.read_bytes())
