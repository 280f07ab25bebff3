"""`selfmate inspect` of imported games: counts, and how evaluations relate to results."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from selfmate.cli.console import BadInputError, reading_input, say

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from selfmate.data.dataset import ChunkFolder
    from selfmate.data.wdl_curve import Counts, WdlCurve

BANDS = ((24, 32), (13, 23), (2, 12))  # pieces
BIN_CENTIPAWNS = 25
MIN_BIN_POSITIONS = 20  # of a point in the picture
COLOURS = {"win": "tab:green", "draw": "tab:gray", "loss": "tab:red"}


def is_data(path: Path) -> bool:
    """Whether a folder holds imported games."""
    return (path / "manifest.json").is_file() and not (path / "config.toml").exists()


def inspect_data(path: Path, plot: Path | None, as_json: bool) -> None:
    from selfmate.cli.import_games import print_summary, summary_of
    from selfmate.data.dataset import ChunkFolder

    with reading_input():
        folder = ChunkFolder(path)
    summary = summary_of(path, folder.manifest)
    if as_json:
        print(json.dumps(summary))
    else:
        print_summary(summary, path)
    if plot is not None:
        _plot(folder, plot)
        say(f"evaluations and results of the validation games: {plot}")


def _plot(folder: "ChunkFolder", plot: Path) -> None:
    from selfmate.data.wdl_curve import count_results
    from selfmate.extras import check_extra

    if not folder.manifest.wdl_curve:
        raise BadInputError(f"{folder.path} has too few evaluations for a picture of them")
    chunks = range(len(folder.chunk_sizes("validation")))
    with reading_input():
        check_extra("plots")
        counts = count_results(folder.read("validation", number) for number in chunks)
        draw_fit(folder.manifest.wdl_curve, counts, plot)


def draw_fit(curve: "WdlCurve", counts: "Counts", path: Path) -> None:
    """Saves a picture, in the format of the suffix of `path`: observed frequencies of win, draw and
    loss by evaluation as dots, and the curve, in a panel for each band of pieces."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(1, len(BANDS), sharey=True)
    for panel, (low, high) in zip(panels, BANDS, strict=True):
        _draw_band(panel, curve, counts, low, high)
    panels[0].set_ylabel("probability")
    panels[0].legend(fontsize=8)
    figure.savefig(path, dpi=110, metadata={"Software": None})


def _draw_band(panel: "Axes", curve: "WdlCurve", counts: "Counts", low: int, high: int) -> None:
    from selfmate.data.wdl_curve import LIMIT

    band = counts[low : high + 1]
    positions = int(band.sum())
    panel.set_title(f"{low} to {high} pieces: {positions:,} positions", fontsize=10)
    panel.set_xlabel("evaluation in pawns, side to move")
    panel.grid(alpha=0.3)
    edges = np.arange(0, 2 * LIMIT + 1, BIN_CENTIPAWNS)
    binned = np.add.reduceat(band.sum(0), edges, axis=0)  # [bins, 3]
    total = binned.sum(1)
    pawns = (np.arange(-LIMIT, LIMIT + 1) / 100).astype(np.float64)
    centres = np.add.reduceat(band.sum((0, 2)) * pawns, edges) / np.maximum(total, 1)
    shown = total >= MIN_BIN_POSITIONS
    if not positions:
        return
    pieces = round(float((band.sum((1, 2)) * np.arange(low, high + 1)).sum() / positions))
    line = curve.wdl((100 * pawns).astype(np.int16), np.full(len(pawns), pieces))
    for number, (name, colour) in enumerate(COLOURS.items()):
        panel.plot(pawns, line[:, number], color=colour, linewidth=1.2, label=name)
        observed = binned[shown, number] / total[shown]
        panel.plot(centres[shown], observed, "o", color=colour, markersize=2.5, alpha=0.6)
