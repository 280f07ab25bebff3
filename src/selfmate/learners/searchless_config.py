"""The settings of learning chess, rules included, by playing oneself without search."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from selfmate.learners.searchless_net import NetConfig

if TYPE_CHECKING:
    from selfmate.data.chunks import Split
    from selfmate.learners.searchless_targets import Scores


class Config(NetConfig):
    checkpoint_every: int = Field(5, ge=1, description="cycles between checkpoints")
    cycles: int = Field(100_000, ge=1, le=10**9, description="of playing and learning")

    # Playing.
    games: int = Field(256, ge=1, le=65536, description="of a cycle")
    at_once: int = Field(32, ge=1, le=4096, description="games that a thread plays side by side")
    temperature: float = Field(1.0, ge=0, le=10, description="of the policy; 0: no chance at all")
    attempts: int = Field(8, ge=1, le=1968, description="illegal ones in a position, at most")
    max_plies: int = Field(160, ge=1, le=10_000, description="longer games are cut, as draws")
    openings: bool = Field(True, description="games begin with one of the shipped openings")
    endgames: float = Field(0.2, ge=0, le=1, description="share that begins with a won endgame")
    must_win: bool = Field(False, description="a won endgame drawn by the rules counts as lost")

    # Learning.
    tried_score: float = Field(
        -10.0, ge=-100, le=0, description="of the illegal move that was tried; the seed also: -25"
    )
    among_legal: Literal["even", "own"] = Field(
        "even", description="moves that were not played: all alike, or as the net has them"
    )
    dull_share: float = Field(
        1.0, ge=0, le=1, description="learned from of positions without illegal try, win and loss"
    )
    batch_end: int = Field(4096, ge=1, le=65536, description="positions of an update, at last")
    batch_cycles: int = Field(1000, ge=1, description="cycles that it takes to get there")
    learning_rate_decay: float = Field(1.0, gt=0, le=1, description="a cycle")
    least_learning_rate: float = Field(0.0, ge=0, le=1, description="that it falls to")
    masters: str = Field(
        "", description="a folder of selfmate import: legality is asked there, moves are learned"
    )
    master_share: float = Field(
        0.0, ge=0, lt=1, description="of a batch: moves of masters, against forgetting them"
    )

    # Evaluation.
    evaluate_every: int = Field(20, ge=1, description="cycles between evaluations")

    def scores(self) -> "Scores":
        return replace(super().scores(), tried=self.tried_score)

    @property
    def is_of_rules_alone(self) -> bool:
        return self.decided_score == self.haste == 0

    @property
    def splits(self) -> tuple["Split", ...]:
        """What it needs of master games."""
        return ("training", "validation") if self.master_share else ("validation",)

    def batch_in(self, cycle: int) -> int:
        """Grows evenly, by the same factor in every cycle."""
        way = min(1.0, (cycle - 1) / self.batch_cycles)
        return round(self.batch * math.pow(self.batch_end / self.batch, way))

    def masters_in(self, batch: int) -> int:
        """Positions of master games in a batch."""
        return max(1, round(self.master_share * batch))

    def learning_rate_in(self, cycle: int, positions: int) -> float:
        """After so many positions were learned from."""
        warmth = min(1.0, (positions + 1) / self.warm_up) if self.warm_up else 1.0
        rate = self.learning_rate * self.learning_rate_decay ** (cycle - 1)
        return warmth * max(rate, self.least_learning_rate)
