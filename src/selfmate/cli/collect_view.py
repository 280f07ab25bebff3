"""Collecting as it goes on: one live line, and a table at the end."""

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any

from selfmate.cli.figures import duration
from selfmate.cli.progress import SECONDS_BETWEEN_LINES

if TYPE_CHECKING:
    from rich.status import Status

    from selfmate.data.collection import Collection

SECONDS_BETWEEN_UPDATES = 0.2


class CollectView:
    """The live line on standard error; plain lines now and then when that is no terminal."""

    def __init__(self, collection: "Collection", games: int) -> None:
        self.collection, self.games = collection, games
        self.first = collection.next
        self.live = sys.stderr.isatty()
        self.started = self.shown = time.monotonic()
        self.status: Status | None = None

    def __enter__(self) -> "CollectView":
        if self.first:
            print(f"going on from game {self.first:,} of {self.games:,}", file=sys.stderr)
        if self.live:
            from rich.console import Console

            self.status = Console(stderr=True, highlight=False).status("starting ...")
            self.status.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.status is not None:
            self.status.stop()

    def update(self) -> None:
        """Called after every ply of all games; shows at most a few lines a second."""
        now = time.monotonic()
        pause = SECONDS_BETWEEN_UPDATES if self.live else SECONDS_BETWEEN_LINES
        if now - self.shown < pause:
            return
        self.shown = now
        if self.status is not None:
            self.status.update(self._line(now))
        else:
            print(self._line(now), file=sys.stderr, flush=True)

    def _line(self, now: float) -> str:
        seconds, tally = now - self.started, self.collection.tally
        done = self.collection.next
        left = seconds * (self.games - done) / (done - self.first) if done > self.first else None
        return (
            f"{done:,} of {self.games:,} games  {tally.repeats.total():,} positions  "
            f"{tally.judged / seconds:,.0f} positions/s"
            + ("" if left is None else f"  {duration(left)} left")
        )


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
