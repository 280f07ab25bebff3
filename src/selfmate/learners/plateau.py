"""A learning rate that is halved, and learning that ends, when validations show no gain."""

from collections.abc import Mapping
from dataclasses import dataclass

from selfmate.runs.run import Json


@dataclass(kw_only=True)
class Plateau:
    halve_after: int  # validations without gain, each time
    stop_after: int  # the same; counted anew with every gain
    lowest: float | None = None
    without_gain: int = 0
    halvings: int = 0

    def validated(self, loss: float) -> None:
        if self.lowest is None or loss < self.lowest:
            self.lowest, self.without_gain = loss, 0
            return
        self.without_gain += 1
        if self.without_gain % self.halve_after == 0:
            self.halvings += 1

    @property
    def factor(self) -> float:
        """Of the first learning rate."""
        return 0.5**self.halvings

    @property
    def is_over(self) -> bool:
        return self.without_gain >= self.stop_after

    def facts(self) -> dict[str, Json]:
        return {
            "lowest": self.lowest,
            "without_gain": self.without_gain,
            "halvings": self.halvings,
        }

    def load(self, facts: Mapping[str, Json]) -> None:
        """What `facts` returned once."""
        for name in self.facts():
            setattr(self, name, facts[name])
