"""Importing as it goes on: one live line, and a table at the end."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfmate.cli.figures import duration
from selfmate.cli.live_line import LiveLine

if TYPE_CHECKING:
    from selfmate.data.chunks import Manifest
    from selfmate.data.game_import import GameImport, Progress

MOST_SHOWN = 5  # dropped games


class _Pace:
    """When the present stage began."""

    def __init__(self) -> None:
        self._stage, self._since = "", 0.0

    def text(self, progress: "Progress", seconds: float) -> str:
        if progress.stage != self._stage:
            self._stage, self._since = progress.stage, seconds
        spent = seconds - self._since
        if not progress.done or spent <= 0:
            return ""
        rate = progress.done / spent
        left = duration((progress.total - progress.done) / rate)
        return f"  {_rate(progress, spent)}  {left} left"


def _rate(progress: "Progress", spent: float) -> str:
    if progress.stage == "reading":
        return f"{progress.games_read / spent:,.0f} games/s"
    if progress.stage == "writing":
        return f"{progress.done / spent:,.0f} positions/s"
    return f"{progress.done / spent / 1e6:,.0f} MB/s"


def live_line(work: "GameImport") -> LiveLine:
    """To be updated after every step of the import."""
    pace = _Pace()

    def line(seconds: float) -> str:
        progress = work.progress
        games = f"  {progress.games_kept:,} of {progress.games_read:,} games kept"
        share = f"{progress.stage} {progress.done / max(progress.total, 1):.0%}"
        return share + (games if progress.games_read else "") + pace.text(progress, seconds)

    return LiveLine(line)


def summary_of(
    out: Path, manifest: "Manifest", was_finished: bool, seconds: float
) -> dict[str, Any]:
    written = sum(entry.bytes for entries in manifest.chunks.values() for entry in entries)
    positions = sum(manifest.positions.values())
    return {
        "folder": str(out),
        "was_finished": was_finished,
        "games": manifest.games.model_dump(),
        "positions": manifest.positions,
        "chunks": {split: len(entries) for split, entries in manifest.chunks.items()},
        "bytes": written,
        "bytes_per_position": written / positions,
        "seconds": seconds,
    }


def print_summary(summary: dict[str, Any], out: Path) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, markup=False)
    if summary["was_finished"]:
        console.print(f"{out} is finished already: nothing was done")
    table = Table(title=str(out), title_justify="left", show_header=False)
    for label, value in _rows(summary):
        table.add_row(label, value)
    console.print(table)
    for line in _first_dropped(out):
        console.print(line, soft_wrap=True)


def _rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    games, positions, chunks = summary["games"], summary["positions"], summary["chunks"]
    rows = [
        (
            split,
            f"{positions[split]:,} positions of {games['kept'][split]:,} games in "
            f"{chunks[split]:,} chunks",
        )
        for split in positions
    ]
    rows += [
        ("results", ", ".join(f"{result} {count:,}" for result, count in games["results"].items())),
        ("ended by", ", ".join(f"{kind} {count:,}" for kind, count in games["endings"].items())),
        ("dropped", f"{sum(games['dropped'].values()):,} of {games['read']:,} games"),
    ]
    rows += [(f"  {reason}", f"{count:,}") for reason, count in games["dropped"].items()]
    size = f"{summary['bytes'] / 1e6:,.1f} MB, {summary['bytes_per_position']:.0f} bytes a position"
    return [*rows, ("size", size), ("time", duration(summary["seconds"]))]


def _first_dropped(out: Path) -> list[str]:
    """Where the first games with errors stand; the table beside the chunks has more."""
    from selfmate.data.game_filter import FAULTY
    from selfmate.data.import_folder import DROPPED

    try:
        lines = (out / DROPPED).read_text("utf-8").splitlines()[1:]
    except OSError:
        return []
    shown = [
        f"{file}, line {line}: {detail}"
        for file, line, reason, detail in (line.split("\t") for line in lines)
        if reason == FAULTY
    ][:MOST_SHOWN]
    return [*shown, f"the games that were dropped: {out / DROPPED}"] if lines else []
