"""What the steps of a run came to, as far as it is shown while the run goes on."""

from collections import deque
from collections.abc import Iterable, Mapping
from statistics import fmean

from selfmate.cli.figures import figure
from selfmate.cli.plot import Curve

STEPS_IN_MEANS = 10
LEGEND = f"in brackets: mean of the last {STEPS_IN_MEANS} steps"


class StepMemory:
    """Curves of some figures from the beginning, and of all figures the newest and recent ones."""

    def __init__(self, plots: Iterable[str]) -> None:
        self.curves = {plot: Curve() for plot in plots}
        self.newest: dict[str, float] = {}  # some come only now and then
        self._recent: deque[Mapping[str, float]] = deque(maxlen=STEPS_IN_MEANS)

    def add(self, figures: Mapping[str, float]) -> None:
        """What one step came to."""
        self.newest |= figures
        self._recent.append(figures)
        for name, curve in self.curves.items():
            if name in figures:
                curve.add(figures[name])

    def text(self, name: str) -> str:
        """entropy 2.1 (2.3), or without a mean if it does not come with every step."""
        recent = [figures[name] for figures in self._recent if name in figures]
        is_steady = len(recent) == len(self._recent) > 1
        mean = f" ({figure(fmean(recent))})" if is_steady else ""
        return f"{name} {figure(self.newest[name])}{mean}"
