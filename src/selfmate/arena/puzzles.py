"""Lichess puzzles: the opponent plays the first move, then the player must find every move.

A move that gives mate always solves: where the solution mates, all mating moves are equally good.
"""

import codecs
import csv
import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from itertools import islice
from pathlib import Path
from typing import Literal

import numpy as np

from selfmate.arena.elo import Z_95
from selfmate.players import Player
from selfmate.rules import Board, derive_seeds, uci_text
from selfmate.rules.pgn import DEFAULT_CHUNK_BYTES, read_texts

BAND_WIDTH = 200  # rating points
ROWS_BETWEEN_CALLS = 10_000
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

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval (1927) of the share; needs at least one puzzle."""
        n, z2 = self.total, Z_95**2
        middle = (self.share + z2 / (2 * n)) / (1 + z2 / n)
        half = math.sqrt(z2 * (self.share * (1 - self.share) / n + z2 / (4 * n * n))) / (1 + z2 / n)
        return middle - half, middle + half


@dataclass(frozen=True)
class PuzzleScore:
    overall: SolveCount
    by_band: dict[int, SolveCount]  # by the lower end of the rating band
    by_theme: dict[str, SolveCount]


@cache
def shipped_puzzles() -> tuple[Puzzle, ...]:
    """Mined from games of the nets that ship, easiest first."""
    with as_file(files(__package__).joinpath("puzzles.csv")) as path:
        return tuple(read_puzzles(path))


def read_puzzles(
    path: Path,
    max_puzzles: int | None = None,
    *,
    sample: int | None = None,
    seed: int = 1,
    on_rows: Callable[[int], None] = lambda count: None,
) -> list[Puzzle]:
    """Puzzles of a CSV file in the Lichess format, plain or compressed with zstd or gzip: all, the
    first `max_puzzles`, or `sample` of them drawn at random, in the order of the file.

    ValueError names the line of an error; DamagedFileError if the file is cut off or corrupt.
    `on_rows` is called now and then with the number of rows read.
    """
    rows = _rows(path, on_rows)
    if sample is not None:
        rows = iter(_sampled(rows, sample, random.Random(seed)))
    puzzles = [_puzzle(path, line, row) for line, row in islice(rows, max_puzzles)]
    if not puzzles:
        raise ValueError(f"{path} holds no puzzle")
    return puzzles


Row = tuple[int, dict[str, str]]  # with the number of its line


def _rows(path: Path, on_rows: Callable[[int], None]) -> Iterator[Row]:
    reader = csv.DictReader(_lines(path))
    try:
        missing = set(COLUMNS) - set(reader.fieldnames or ())
        if missing:
            raise ValueError(
                f"{path} is no Lichess puzzle file: no column {', '.join(sorted(missing))}"
            )
        for number, row in enumerate(reader):
            if number % ROWS_BETWEEN_CALLS == 0:
                on_rows(number)
            yield reader.line_num, row
    except csv.Error as error:
        raise ValueError(
            f"{path}, line {reader.line_num + 1} cannot be read as CSV with fields of at most "
            f"{csv.field_size_limit():,} characters"
        ) from error


def _lines(path: Path) -> Iterator[str]:
    decode, rest = codecs.getincrementaldecoder("utf-8")().decode, ""
    with path.open("rb") as file:
        for chunk in read_texts(file, str(path), DEFAULT_CHUNK_BYTES):
            try:
                *lines, rest = (rest + decode(chunk)).split("\n")
            except UnicodeDecodeError as error:
                raise ValueError(f"{path} is no UTF-8 text") from error
            yield from (f"{line}\n" for line in lines)
    if rest:
        yield rest


def _sampled(rows: Iterable[Row], count: int, rng: random.Random) -> list[Row]:
    """Each row as likely as any other, without knowing how many there are (Vitter, 1985)."""
    kept: list[Row] = []
    for number, row in enumerate(rows):
        if number < count:
            kept.append(row)
        elif (place := rng.randrange(number + 1)) < count:
            kept[place] = row
    return sorted(kept, key=lambda row: row[0])


def _puzzle(path: Path, line: int, row: dict[str, str]) -> Puzzle:
    try:
        return _parse(row)
    except ValueError as error:
        raise ValueError(f"{path}, line {line}: {error}") from error


def _parse(row: dict[str, str]) -> Puzzle:
    if None in (fields := [row[column] for column in COLUMNS]):
        raise ValueError("the row ends too early")
    fen, line, rating, themes = fields
    board, moves = Board(fen), tuple(line.split())
    for move in moves:
        board.push(move, past_draw=True)
    if len(moves) < 2 or len(moves) % 2:
        raise ValueError(f"a puzzle has an even number of moves, not {len(moves)}")
    if not rating.isdecimal():
        raise ValueError(f"the rating is {rating[:20]!r}, not a whole number")
    return Puzzle(fen, moves, int(rating), tuple(themes.split()))


Result = tuple[Puzzle, bool]  # whether it was solved


def solve(player: Player, puzzles: Sequence[Puzzle], seed: int) -> Iterator[Result]:
    """Yields each puzzle in order, and whether the player solved it."""
    for results in solve_in_rounds(player, puzzles, seed):
        yield from results


def solve_in_rounds(player: Player, puzzles: Sequence[Puzzle], seed: int) -> Iterator[list[Result]]:
    """Yields after every move of the puzzles that are played at once: those that are done by now.

    They come in order, none before those in front of it: whenever one stops, the results are those
    of the first puzzles, not of the short ones.
    """
    waiting = iter(range(len(puzzles)))
    running: dict[int, _Attempt] = {}  # by number of the puzzle
    solved: dict[int, bool] = {}
    done = 0
    while done < len(puzzles):
        for number in islice(waiting, player.parallel_games - len(running)):
            running[number] = _Attempt(puzzles[number], Board(puzzles[number].fen))
        solved |= _play_round(player, running, seed)
        running = {number: attempt for number, attempt in running.items() if number not in solved}
        first = done
        while done in solved:
            done += 1
        yield [(puzzles[number], solved.pop(number)) for number in range(first, done)]


@dataclass
class _Attempt:
    puzzle: Puzzle
    board: Board
    ply: int = 0  # of the opponent's next move


def _play_round(player: Player, running: dict[int, _Attempt], seed: int) -> dict[int, bool]:
    """Plays the opponent's move and the player's in each; returns those that ended."""
    attempts = list(running.values())
    for attempt in attempts:
        attempt.board.push(attempt.puzzle.moves[attempt.ply], past_draw=True)
    plies = np.array([attempt.ply for attempt in attempts])
    seeds = derive_seeds(seed, np.array(list(running)), plies)
    choices = player.choose([attempt.board for attempt in attempts], seeds)
    ended = {}
    for row, (number, attempt) in enumerate(running.items()):
        verdict = "wrong"
        if row not in choices.forfeits:
            move = int(choices.moves[row])
            verdict = _judge(attempt.board, attempt.puzzle, attempt.ply + 1, move)
        attempt.ply += 2
        if verdict != "right":
            ended[number] = verdict == "solved"
    return ended


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


def score_results(results: Iterable[Result]) -> PuzzleScore:
    """Results overall, by rating band and by theme."""
    overall = SolveCount()
    bands = defaultdict[int, SolveCount](SolveCount)
    themes = defaultdict[str, SolveCount](SolveCount)
    for puzzle, is_solved in results:
        band = puzzle.rating // BAND_WIDTH * BAND_WIDTH
        for count in (overall, bands[band], *(themes[theme] for theme in puzzle.themes)):
            count.add(is_solved)
    return PuzzleScore(overall, dict(sorted(bands.items())), dict(sorted(themes.items())))
