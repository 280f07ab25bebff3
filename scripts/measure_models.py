"""Measures players of a net that ships, and writes the figures into its card.

python scripts/measure_models.py alphazero-swift:sims=0 alphazero-swift:sims=2000
python scripts/measure_models.py teacher:depth=3 --puzzles puzzles.csv.zst

`selfmate models verify` plays these figures again, and `selfmate models compare` shows them beside
the teacher's. Puzzles of the Lichess database do not ship: only who has the file can repeat them.
"""

import argparse
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from selfmate.arena.checks import replay
from selfmate.arena.puzzles import Puzzle, read_puzzles, shipped_puzzles, solve
from selfmate.players import Player, load_player
from selfmate.runs.files import replace_file
from selfmate.weights import card_path
from selfmate.weights.card import (
    BASELINE,
    Check,
    Figures,
    PuzzleBand,
    read_baseline,
    read_card,
)

OPPONENTS = ("random", "greedy", "teacher:depth=2")
GAMES, ENDGAMES = 20, 50
LICHESS_PUZZLES = 1_000  # drawn from the file
BANDS = ((0, 999), (1000, 1599), (1600, 1999), (2000, None))


def checks_of(player: str) -> list[Check]:
    """With no points yet."""
    matches = [
        Check(kind="match", player=player, opponent=opponent, games=GAMES, points=0)
        for opponent in OPPONENTS
    ]
    endgames = [
        Check(kind=kind, player=player, games=ENDGAMES, points=0)
        for kind in ("queen", "rook", "bishops")
    ]
    tactics = Check(kind="tactics", player=player, games=len(shipped_puzzles()), points=0)
    return [*matches, tactics, *endgames]


def measured_checks(player: str) -> tuple[Check, ...]:
    measured = []
    for check in checks_of(player):
        points = replay(check).points
        measured.append(check.model_copy(update={"points": points}))
        print(f"{player} {check.kind} {check.opponent or ''}: {points:g} of {check.games}")
    return tuple(measured)


def measured_bands(player: Player, puzzles: list[Puzzle]) -> tuple[PuzzleBand, ...]:
    results = list(solve(player, puzzles, seed=1))
    bands = []
    for lowest, highest in BANDS:
        solved = [ok for puzzle, ok in results if lowest <= puzzle.rating <= (highest or 9999)]
        band = PuzzleBand(
            player=player.name,
            lowest=lowest,
            highest=highest,
            puzzles=len(solved),
            solved=sum(solved),
        )
        print(f"{player.name}, puzzles from {lowest}: {band.solved} of {band.puzzles}")
        bands.append(band)
    return tuple(bands)


Known = TypeVar("Known", bound=Figures)


def measured(figures: Known, player: Player, puzzles: list[Puzzle]) -> Known:
    """The figures with those of this player anew; without puzzles its bands stay."""
    checks = tuple(one for one in figures.checks if one.player != player.name)
    bands = tuple(one for one in figures.puzzle_bands if one.player != player.name or not puzzles)
    new_bands = measured_bands(player, puzzles) if puzzles else ()
    return figures.model_copy(
        update={
            "checks": (*checks, *measured_checks(player.name)),
            "puzzle_bands": (*bands, *new_bands),
        }
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("players", nargs="+", metavar="PLAYER")
    parser.add_argument("--puzzles", type=Path, help="Lichess puzzles, of which 1,000 are drawn")
    given = parser.parse_args()
    puzzles = read_puzzles(given.puzzles, sample=LICHESS_PUZZLES) if given.puzzles else []
    for name in given.players:
        kind = name.split(":")[0]
        path = BASELINE if kind == "teacher" else Path(card_path(kind))
        known: Figures = read_baseline() if kind == "teacher" else read_card(kind)
        with closing(load_player(name)) as player:
            figures = measured(known, player, puzzles)
        replace_file(path, f"{figures.model_dump_json(indent=2)}\n".encode())


if __name__ == "__main__":
    main()
