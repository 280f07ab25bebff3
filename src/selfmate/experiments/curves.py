"""The seed's figures: reward and moves per game while agents learn, side by side."""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from selfmate.runs.directory import RunDirectory

STEPS_AVERAGED = 20  # about so many steps of 100 games weigh in the moving average
PANELS = {"reward": "reward per game", "moves": "moves per game"}


def can_draw() -> bool:
    return find_spec("matplotlib") is not None


def moving_average(values: NDArray[np.float64], steps: float) -> NDArray[np.float64]:
    """Exponential; begins like a plain mean, so that the first values do not weigh too much."""
    keep = 1 - 1 / steps
    averages, total, weight = np.empty_like(values), 0.0, 0.0
    for i, value in enumerate(values):
        total, weight = keep * total + value, keep * weight + 1
        averages[i] = total / weight
    return averages


def draw_curves(title: str, runs: Mapping[str, RunDirectory], path: Path) -> None:
    """A picture (by the ending of `path`) with a panel for reward and one for moves."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.4), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(title, fontsize=11)
    panels = figure.subplots(1, len(PANELS))
    for panel, (name, words) in zip(panels, PANELS.items(), strict=True):
        for label, run in runs.items():
            columns = run.columns()
            averages = moving_average(columns[name], STEPS_AVERAGED)
            panel.plot(columns["episodes"], averages, label=label, linewidth=1.1)
        panel.set_xlabel("games")
        panel.set_ylabel(words)
        panel.grid(alpha=0.3)
        panel.ticklabel_format(axis="x", style="plain")
    panels[0].legend(fontsize=8)
    figure.savefig(path, dpi=110, metadata={"Software": None})
