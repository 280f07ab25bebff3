"""`selfmate mine`: puzzles from games, checked by an engine."""

import csv
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfmate.cli.console import (
    LARGEST_SEED,
    BadInputError,
    LiveLine,
    counted,
    duration,
    reading_input,
    say,
    whole,
)
from selfmate.cli.stopping import StopListener

if TYPE_CHECKING:
    from selfmate.arena.mining import Miner
    from selfmate.players import Player

COLUMNS = ("PuzzleId", "FEN", "Moves", "Rating", "Themes", "Game")
SCAN, CHECK = "stockfish:nodes=20000", "stockfish:nodes=500000"
BEGINNER, *RATERS = (f"teacher:depth={depth}" for depth in range(1, 5))


def mine(
    games: Annotated[
        list[Path], typer.Argument(metavar="GAMES.pgn...", help="Also as .zst or .gz.")
    ],
    out: Annotated[Path, typer.Option(metavar="FILE.csv", help="A new file for the puzzles.")],
    most: Annotated[
        int,
        typer.Option("--most", parser=whole(1, 10**9), metavar="N", help="Stop after N puzzles."),
    ] = 300,
    scan: Annotated[
        str, typer.Option(metavar="PLAYER", help="Looks at every position of the games.")
    ] = SCAN,
    check: Annotated[
        str, typer.Option(metavar="PLAYER", help="Checks what was found, move by move.")
    ] = CHECK,
    seed: Annotated[
        int, typer.Option(parser=whole(0, LARGEST_SEED), metavar="N", help="For ties of raters.")
    ] = 1,
) -> None:
    """Make puzzles of games: positions in which one move alone is good.

    The file has Lichess' format, for `selfmate puzzles`. What `teacher:depth=1`
    solves is left out. The rating of a puzzle is that of the weakest
    `teacher:depth=2..4` that solves it, or 200 more if none does.
    """
    from selfmate.arena.ladder import shipped_ruler
    from selfmate.arena.mining import Miner
    from selfmate.players.player import load_scoring

    if out.exists():
        raise BadInputError(f"{out} exists; name a new file")
    with ExitStack() as stack, LiveLine(lambda _: "loading ...") as view:
        with reading_input():
            records = list(_games(games))
            scan_scoring = stack.enter_context(closing(load_scoring(scan, 2)))
            check_scoring = stack.enter_context(closing(load_scoring(check, 2)))
            beginner, *raters = (_loaded(stack, name) for name in (BEGINNER, *RATERS))
        ratings = [round(shipped_ruler().elo(name)) for name in RATERS]
        by_rating = dict(zip(ratings, raters, strict=True))
        miner = Miner(scan_scoring, check_scoring, beginner, by_rating)
        _Session(miner, records, out, most, seed).run(view)


@dataclass(frozen=True)
class _Game:
    name: str
    start_fen: str
    moves: list[str]  # UCI


def _games(paths: list[Path]) -> Iterator[_Game]:
    from selfmate.rules.pgn import read_pgn

    for path in paths:
        number = 0
        for chunk in read_pgn(path):
            for game in range(len(chunk.games)):
                number += 1
                yield _Game(
                    f"{path.name} {number}", chunk.games.start_fen(game), chunk.games.uci(game)
                )


def _loaded(stack: ExitStack, name: str) -> "Player":
    from selfmate.players import load_player

    return stack.enter_context(closing(load_player(name)))


class _Session:
    """Writes puzzles as they are found: however it ends, the file holds all of them."""

    def __init__(
        self, miner: "Miner", games: Sequence[_Game], out: Path, most: int, seed: int
    ) -> None:
        self._miner, self._games, self._out = miner, games, out
        self._most, self._seed = most, seed
        self._done = self._found = 0
        self._started = time.perf_counter()

    def run(self, view: LiveLine) -> None:
        view.follow(self._line)
        with (
            StopListener(view, self._report) as stop,
            self._out.open("x", encoding="utf-8", newline="") as file,
        ):
            writer = csv.writer(file)
            writer.writerow(COLUMNS)
            for game in self._games:
                if stop.is_set() or self._found >= self._most:
                    break
                self._mine(game, writer.writerow)
                file.flush()
                view.update()
            stop.end()
        self._report()

    def _mine(self, game: _Game, write: Callable[[Sequence[object]], object]) -> None:
        from selfmate.arena.mining import positions_of
        from selfmate.rules import Board

        positions = list(positions_of(Board(game.start_fen), game.moves))
        found = self._miner.puzzles(positions, self._seed) if positions else []
        for puzzle in found[: self._most - self._found]:
            self._found += 1
            moves, themes = " ".join(puzzle.moves), " ".join(puzzle.themes)
            name = f"{self._found:05}"
            write((name, puzzle.fen, moves, puzzle.rating, themes, game.name))
        self._done += 1

    def _line(self, seconds: float) -> str:
        games = f"{self._done:,} of {counted(len(self._games), 'game')}"
        return f"{games}  {self._found:,} of {self._most:,} puzzles  {duration(seconds)}"

    def _report(self) -> None:
        seconds = time.perf_counter() - self._started
        say(
            f"{counted(self._found, 'puzzle')} from {counted(self._done, 'game')} in "
            f"{duration(seconds)}: {self._out}"
        )
