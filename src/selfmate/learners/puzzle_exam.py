"""Puzzles that a learner is set again and again: how many it solves, by their rating."""

import math
from collections.abc import Sequence
from pathlib import Path

from selfmate.arena.puzzles import Puzzle, Tally, read_puzzles, solve
from selfmate.players import Player
from selfmate.runs.errors import RunRefusedError

MOST_PUZZLES = 2000  # that are set
MOST_READ = 100_000  # a file may have millions
BANDS = (1000, 1500, 2000)  # rated lower than this; the rest are harder


class PuzzleExam:
    def __init__(self, puzzles: Sequence[Puzzle]) -> None:
        self.puzzles = puzzles

    def figures(self, player: Player) -> dict[str, float]:
        """Shares that are solved: `puzzles`, and of each band that there are puzzles of."""
        tallies = {name: Tally() for name in ("puzzles", *map(_band, (*BANDS, None)))}
        for puzzle, is_solved in solve(player, self.puzzles, seed=1):
            limit = next((limit for limit in BANDS if puzzle.rating < limit), None)
            for name in ("puzzles", _band(limit)):
                tallies[name].solved += is_solved
                tallies[name].total += 1
        return {name: tally.share for name, tally in tallies.items() if tally.total}


def _band(limit: int | None) -> str:
    return "puzzles_harder" if limit is None else f"puzzles_to_{limit}"


def spread_out(puzzles: Sequence[Puzzle]) -> Sequence[Puzzle]:
    """Some from all over a file, which may have them in the order of their rating."""
    return puzzles[:: math.ceil(len(puzzles) / MOST_PUZZLES)]


def open_puzzles(file: str) -> PuzzleExam:
    """An empty one for no name."""
    if not file:
        return PuzzleExam(())
    try:
        return PuzzleExam(spread_out(read_puzzles(Path(file), MOST_READ)))
    except (OSError, ValueError) as error:
        raise RunRefusedError(f"the puzzles cannot be used: {error}") from error
