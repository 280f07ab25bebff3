"""Lichess puzzles: the opponent plays the first move, then the player must find every move.

A move that gives mate always solves: where the solution mates, all mating moves are equally good.
"""

import csv
import io
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import zstandard

from selfmate.players import Player
from selfmate.rules import Board, derive_seeds, uci_text

BAND_WIDTH = 200  # rating points
COLUMNS = ("FEN", "Moves", "Rating", "Themes")


@dataclass(frozen=True)
class Puzzle:
    fen: str
    moves: tuple[str, ...]  # UCI; the opponent's first, then the solver's, in turn
    rating: int
    themes: tuple[str, ...]


@dataclass
class SolveCount:
    solved: int = 0
    total: int = 0

    def add(self, is_solved: bool) -> None:
        self.solved += is_solved
        self.total += 1

    @property
    def share(self) -> float:
        return self.solved / self.total if self.total else 0.0


@dataclass(frozen=True)
class PuzzleScore:
    overall: SolveCount
    by_band: dict[int, SolveCount]  # by the lower end of the rating band
    by_theme: dict[str, SolveCount]


def read_puzzles(path: Path, max_puzzles: int | None = None) -> list[Puzzle]:
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
            if max_puzzles is not None and len(puzzles) >= max_puzzles:
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
    """Yields each puzzle and whether the player solved it; `batch` puzzles are played together."""
    for begin in range(0, len(puzzles), batch):
        part = puzzles[begin : begin + batch]
        yield from zip(part, _solve_batch(player, part, begin, seed), strict=True)


def _solve_batch(player: Player, puzzles: Sequence[Puzzle], first: int, seed: int) -> list[bool]:
    boards = [Board(puzzle.fen) for puzzle in puzzles]
    solved = [False] * len(puzzles)
    unsolved = list(range(len(puzzles)))
    ply = 0
    while unsolved:
        for i in unsolved:
            boards[i].push(puzzles[i].moves[ply], past_draw=True)
        numbers = np.array([first + i for i in unsolved])
        seeds = derive_seeds(seed, numbers, np.full(len(unsolved), ply))
        choices = player.choose([boards[i] for i in unsolved], seeds)
        remaining = []
        for row, i in enumerate(unsolved):
            if row in choices.forfeits:
                continue
            verdict = _judge(boards[i], puzzles[i], ply + 1, int(choices.moves[row]))
            solved[i] = verdict == "solved"
            if verdict == "right":
                remaining.append(i)
        unsolved, ply = remaining, ply + 2
    return solved


def _judge(
    board: Board, puzzle: Puzzle, ply: int, move_code: int
) -> Literal["solved", "right", "wrong"]:
    """Plays the move on the board; after a right move the puzzle continues."""
    move = uci_text(move_code)
    board.push(move, past_draw=True)
    outcome = board.outcome()
    if outcome is not None and outcome.reason == "checkmate":
        return "solved"
    if move != puzzle.moves[ply]:
        return "wrong"
    return "solved" if ply == len(puzzle.moves) - 1 else "right"


def score_results(results: Iterable[tuple[Puzzle, bool]]) -> PuzzleScore:
    """Results overall, by rating band and by theme."""
    overall = SolveCount()
    bands = defaultdict[int, SolveCount](SolveCount)
    themes = defaultdict[str, SolveCount](SolveCount)
    for puzzle, is_solved in results:
        band = puzzle.rating // BAND_WIDTH * BAND_WIDTH
        for count in (overall, bands[band], *(themes[theme] for theme in puzzle.themes)):
            count.add(is_solved)
    return PuzzleScore(overall, dict(sorted(bands.items())), dict(sorted(themes.items())))
