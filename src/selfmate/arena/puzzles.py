"""Lichess puzzles: the first move is the opponent's, then the player must find every move.

Any mate solves: where the solution mates, all mating moves are equally good.
"""

import csv
import io
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import zstandard

from selfmate.players import Player
from selfmate.rules import Board, uci_text
from selfmate.search.dice import roll

BAND_WIDTH = 200  # rating points
COLUMNS = ("FEN", "Moves", "Rating", "Themes")


@dataclass(frozen=True)
class Puzzle:
    fen: str
    moves: tuple[str, ...]  # UCI; the opponent's first, then the solver's, in turn
    rating: int
    themes: tuple[str, ...]


@dataclass
class Tally:
    solved: int = 0
    total: int = 0

    @property
    def share(self) -> float:
        return self.solved / self.total if self.total else 0.0


@dataclass(frozen=True)
class PuzzleScore:
    overall: Tally
    by_band: dict[int, Tally]  # lower end of the rating band
    by_theme: dict[str, Tally]


def read_puzzles(path: Path, most: int | None = None) -> list[Puzzle]:
    """Puzzles of a CSV file in the Lichess format, plain or .zst; errors name the line."""
    puzzles: list[Puzzle] = []
    with _opened(path) as file:
        rows = csv.DictReader(file)
        missing = set(COLUMNS) - set(rows.fieldnames or ())
        if missing:
            raise ValueError(
                f"{path} is no Lichess puzzle file: no column {', '.join(sorted(missing))}"
            )
        for row in rows:
            if most is not None and len(puzzles) >= most:
                break
            try:
                puzzles.append(_puzzle(row))
            except (ValueError, AttributeError, TypeError) as error:
                raise ValueError(f"{path}, line {rows.line_num}: {error}") from error
    if not puzzles:
        raise ValueError(f"{path} holds no puzzle")
    return puzzles


def _opened(path: Path) -> io.TextIOWrapper:
    with path.open("rb") as file:
        compressed = file.read(4) == b"\x28\xb5\x2f\xfd"
    raw = path.open("rb")
    stream = zstandard.ZstdDecompressor().stream_reader(raw, closefd=True) if compressed else raw
    return io.TextIOWrapper(stream, "utf-8", newline="")


def _puzzle(row: dict[str, str]) -> Puzzle:
    moves = tuple(row["Moves"].split())
    board = Board(row["FEN"])
    for move in moves:
        board.push(move, past_draw=True)
    if len(moves) < 2 or len(moves) % 2:
        raise ValueError(f"a puzzle has an even number of moves, not {len(moves)}")
    return Puzzle(row["FEN"], moves, int(row["Rating"]), tuple(row["Themes"].split()))


def solve(
    player: Player, puzzles: Sequence[Puzzle], seed: int, batch: int = 256
) -> Iterator[tuple[Puzzle, bool]]:
    """Each puzzle with whether the player solved it, many at once."""
    for begin in range(0, len(puzzles), batch):
        part = puzzles[begin : begin + batch]
        yield from zip(part, _solve_batch(player, part, begin, seed), strict=True)


def _solve_batch(player: Player, puzzles: Sequence[Puzzle], first: int, seed: int) -> list[bool]:
    boards = [Board(puzzle.fen) for puzzle in puzzles]
    solved = [False] * len(puzzles)
    open_ones = list(range(len(puzzles)))
    ply = 0
    while open_ones:
        for i in open_ones:
            boards[i].push(puzzles[i].moves[ply], past_draw=True)
        numbers = np.array([first + i for i in open_ones])
        dice = roll(seed, numbers, np.full(len(open_ones), ply))
        choices = player.choose([boards[i] for i in open_ones], dice)
        still_open = []
        for row, i in enumerate(open_ones):
            if row in choices.forfeits:
                continue
            verdict = _judge(boards[i], puzzles[i], ply + 1, int(choices.moves[row]))
            solved[i] = verdict == "solved"
            if verdict == "right":
                still_open.append(i)
        open_ones, ply = still_open, ply + 2
    return solved


def _judge(board: Board, puzzle: Puzzle, ply: int, move_code: int) -> str:
    """`solved`, `right` (go on) or `wrong`; a right move is played on the board."""
    move = uci_text(move_code)
    board.push(move, past_draw=True)
    outcome = board.outcome()
    if outcome is not None and outcome.reason == "checkmate":
        return "solved"
    if move != puzzle.moves[ply]:
        return "wrong"
    return "solved" if ply == len(puzzle.moves) - 1 else "right"


def tally(results: Iterable[tuple[Puzzle, bool]]) -> PuzzleScore:
    """Results by rating band and by theme."""
    overall, bands, themes = Tally(), defaultdict[int, Tally](Tally), defaultdict[str, Tally](Tally)
    for puzzle, solved in results:
        band = puzzle.rating // BAND_WIDTH * BAND_WIDTH
        for count in (overall, bands[band], *(themes[theme] for theme in puzzle.themes)):
            count.solved += solved
            count.total += 1
    return PuzzleScore(overall, dict(sorted(bands.items())), dict(sorted(themes.items())))
