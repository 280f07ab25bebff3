"""How far a pretraining is, in positions: what a step is, when to validate, how the rate falls."""

import math
from dataclasses import dataclass

from selfmate.runs.run import Step

UPDATES_PER_STEP = 32


@dataclass(frozen=True, kw_only=True)
class Course:
    epoch: int  # positions that there are
    total: int  # to learn from
    update: int  # positions of one, at first
    validations: int  # an epoch
    warm_up: int  # positions until the rate is reached

    def step_size(self) -> int:
        """Whole updates, and no more than there are between two validations."""
        updates = self.epoch // (self.validations * self.update)
        return self.update * min(max(1, updates), UPDATES_PER_STEP)

    def is_validated(self, step: Step) -> bool:
        """Several times an epoch, and at the end."""
        often = self.validations
        passed = step.stop * often // self.epoch > step.start * often // self.epoch
        return passed or step.stop == self.total

    def warmth(self, done: int) -> float:
        """The part of the rate that is allowed after so many positions."""
        return min(1.0, (done + self.update) / self.warm_up) if self.warm_up else 1.0

    def cosine(self, done: int) -> float:
        """From 1 to 0."""
        return (1 + math.cos(math.pi * done / self.total)) / 2
