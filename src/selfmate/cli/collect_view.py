"""Collecting as it goes on: one live line, and a table at the end."""

import sys
from typing import TYPE_CHECKING, Any

from selfmate.cli.figures import duration
from selfmate.cli.live_line import LiveLine

if TYPE_CHECKING:
    from selfmate.data.collection import Collection


def live_line(collection: "Collection", games: int) -> LiveLine:
    """To be updated after every ply of all games."""
    first = collection.next
    if first:
        print(f"going on from game {first:,} of {games:,}", file=sys.stderr)

    def line(seconds: float) -> str:
        tally, done = collection.tally, collection.next
        left = seconds * (games - done) / (done - first) if done > first else None
        return (
            f"{done:,} of {games:,} games  {tally.repeats.total():,} positions  "
            f"{tally.judged / seconds:,.0f} positions/s"
            + ("" if left is None else f"  {duration(left)} left")
        )

    return LiveLine(line)


def summary_of(collection: "Collection", seconds: float) -> dict[str, Any]:
    tally = collection.tally
    positions = tally.repeats.total()
    return {
        "file": str(collection.path),
        "games": collection.next,
        "positions": positions,
        "unique_share": len(tally.repeats) / positions if positions else None,
        "played_now": tally.games,
        "white_wins": tally.results[1],
        "black_wins": tally.results[-1],
        "no_winner": tally.results[0],
        "dropped": tally.dropped,
        "ends": dict(tally.reasons.most_common()),
        "mean_plies": tally.plies / tally.games if tally.games else None,
        "positions_per_s": tally.judged / seconds,
        "seconds": seconds,
    }


def print_summary(summary: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=summary["file"], title_justify="left", show_header=False)
    for label, value in _rows(summary):
        table.add_row(label, value)
    Console(highlight=False).print(table)


def _rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    rows = [("positions", f"{summary['positions']:,} of {summary['games']:,} games")]
    if summary["unique_share"] is not None:
        rows.append(("unique", f"{summary['unique_share']:.1%}"))
    if summary["played_now"]:
        dropped = f", {summary['dropped']:,} of them left out" if summary["dropped"] else ""
        rows += [
            (
                "White won, Black won, nobody",
                f"{summary['white_wins']:,}, {summary['black_wins']:,}, "
                f"{summary['no_winner']:,}{dropped}",
            ),
            ("ended by", ", ".join(f"{why} {count}" for why, count in summary["ends"].items())),
            ("mean length", f"{summary['mean_plies']:.0f} plies"),
            ("speed", f"{summary['positions_per_s']:,.0f} positions/s"),
        ]
    return [*rows, ("time", duration(summary["seconds"]))]
