"""When a pretraining validates, and how its learning rate changes: warm-up, cosine, plateau."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from selfmate.runs import Json, Step

UPDATES_PER_STEP = 32


@dataclass(frozen=True, kw_only=True)
class LearningRateSchedule:
    """All sizes are in positions."""

    epoch: int  # training positions that there are
    total: int  # of all epochs
    update: int  # per update, at first
    validations: int  # per epoch
    warm_up: int  # until the full learning rate is reached

    def step_size(self) -> int:
        """Whole updates, and no more than there are between two validations."""
        updates = self.epoch // (self.validations * self.update)
        return self.update * min(max(1, updates), UPDATES_PER_STEP)

    def is_validated(self, step: Step) -> bool:
        """Whether a validation is due after a step: several times per epoch, and at the end."""
        per_epoch = self.validations
        passed = step.stop * per_epoch // self.epoch > step.start * per_epoch // self.epoch
        return passed or step.stop == self.total

    def ends_epoch(self, step: Step) -> bool:
        """Whether a whole epoch is done with this step."""
        return step.stop // self.epoch > step.start // self.epoch

    def warmth(self, done: int) -> float:
        """The factor of linear warm-up after so many positions, up to 1."""
        return min(1.0, (done + self.update) / self.warm_up) if self.warm_up else 1.0

    def cosine(self, done: int) -> float:
        """The factor of cosine decay after so many positions, from 1 to 0 (Loshchilov and Hutter
        2017)."""
        return (1 + math.cos(math.pi * done / self.total)) / 2


@dataclass(kw_only=True)
class Plateau:
    """Halves the learning rate after `patience` validations without gain, each time, and ends the
    training after `early_stopping_patience` of them in a row."""

    patience: int
    early_stopping_patience: int
    lowest: float | None = None  # validation loss
    without_gain: int = 0  # validations since then
    halvings: int = 0

    def validated(self, loss: float) -> None:
        if self.lowest is None or loss < self.lowest:
            self.lowest, self.without_gain = loss, 0
            return
        self.without_gain += 1
        if self.without_gain % self.patience == 0:
            self.halvings += 1

    @property
    def factor(self) -> float:
        """Of the initial learning rate."""
        return 0.5**self.halvings

    @property
    def is_over(self) -> bool:
        return self.without_gain >= self.early_stopping_patience

    def facts(self) -> dict[str, Json]:
        """The state, as a checkpoint stores it."""
        return {
            "lowest": self.lowest,
            "without_gain": self.without_gain,
            "halvings": self.halvings,
        }

    def load(self, facts: Mapping[str, Json]) -> None:
        """Restores a state that `facts` returned."""
        for name in self.facts():
            setattr(self, name, facts[name])
