"""Adds puzzles to those that ship: `python scripts/make_puzzles.py FOLDER`; needs Stockfish.

The nets that ship play matches at several strengths, so that there is something to punish.
Stockfish finds the positions in which one move alone is good, and checks every move of the
solution (`selfmate mine`). All puzzles, old and new, are then rated by players of the ladder. The
result is `src/selfmate/arena/puzzles.csv`, easiest first. Ctrl-C ends the search and keeps what was
found. With another FOLDER and --seed other games are played.
"""

import csv
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from selfmate.arena.elo import score_of_elo
from selfmate.arena.ladder import shipped_ruler
from selfmate.arena.puzzles import Puzzle, read_puzzles, solve
from selfmate.players import load_player

SHIPPED = Path(__file__).parents[1] / "src" / "selfmate" / "arena" / "puzzles.csv"
COLUMNS = ("PuzzleId", "FEN", "Moves", "Rating", "Themes")
MATCHES = (
    ("alphazero-swift:sims=2000", "alphazero-swift:sims=200"),
    ("alphazero-swift:sims=100,temperature=0.7", "searchless-tiny"),
    ("alphazero-tiny:elo=1000", "searchless-tiny"),
    ("alphazero-tiny:elo=700", "alphazero-tiny:elo=900"),
)
GAMES, MOST = 140, 500
SCAN = "stockfish:nodes=5000"  # a first look; solutions are checked with 500,000 nodes
TEACHERS = ("teacher:depth=2", "teacher:depth=3", "teacher:depth=4")
NET_ELOS = (700, 1000, 1200, 1400, 1600, 1800)
PRIOR_ELO = 1000.0  # a puzzle that was drawn against a player of this rating, to start with
LOWEST, HIGHEST = 0.0, 3000.0
SEED = 1


def main(folder: Path, seed: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"match-{number}.pgn" for number in range(len(MATCHES))]
    for (a, b), file in zip(MATCHES, files, strict=True):
        if not file.exists():
            games = ["--games", str(GAMES), "--seed", str(seed), "--pgn", str(file)]
            _selfmate("match", a, b, *games, "--log", str(folder / "log"), "--resume")
    mined = folder / "mined.csv"
    if not mined.exists():
        _selfmate(
            "mine", *map(str, files), "--out", str(mined), "--most", str(MOST), "--scan", SCAN
        )
    ship(with_ratings(together(read_puzzles(SHIPPED), read_puzzles(mined))))


def together(*sources: Sequence[Puzzle]) -> list[Puzzle]:
    """Each position once, whatever its clocks."""
    found: dict[str, Puzzle] = {}
    for puzzle in (each for source in sources for each in source):
        found.setdefault(" ".join([*puzzle.fen.split()[:4], puzzle.moves[0]]), puzzle)
    return list(found.values())


def with_ratings(puzzles: Sequence[Puzzle]) -> list[tuple[int, Puzzle]]:
    ruler = shipped_ruler()
    raters = {name: ruler.elo(name) for name in TEACHERS}
    raters |= {f"alphazero-tiny:elo={elo}": float(elo) for elo in NET_ELOS}
    results: list[list[tuple[float, bool]]] = [[] for _ in puzzles]
    for name, elo in raters.items():
        with closing(load_player(name)) as player:
            solved = [is_solved for _, is_solved in solve(player, puzzles, SEED)]
        print(f"{name} solves {sum(solved)} of {len(puzzles)}")
        for result, is_solved in zip(results, solved, strict=True):
            result.append((elo, is_solved))
    return [(round(rating_of(one)), each) for one, each in zip(results, puzzles, strict=True)]


def rating_of(results: Sequence[tuple[float, bool]]) -> float:
    """The rating at which a puzzle wins as often as it was not solved, by Elo's curve; with half a
    point against PRIOR_ELO, so that it is finite."""
    won = 0.5 + sum(not is_solved for _, is_solved in results)
    opponents = [PRIOR_ELO, *(elo for elo, _ in results)]
    low, high = LOWEST, HIGHEST
    while high - low > 0.5:
        middle = (low + high) / 2
        expected = sum(score_of_elo(middle - elo) for elo in opponents)
        low, high = (middle, high) if expected < won else (low, middle)
    return (low + high) / 2


def ship(rated: Sequence[tuple[int, Puzzle]]) -> None:
    """Without the games, which nobody can look up, and with ids of our own."""
    with SHIPPED.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        order = sorted(rated, key=lambda one: (one[0], one[1].fen))
        for number, (rating, one) in enumerate(order, 1):
            moves, themes = " ".join(one.moves), " ".join(one.themes)
            writer.writerow([f"s{number:03}", one.fen, moves, rating, themes])


def _selfmate(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "selfmate", *arguments], check=True)


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=2)
    given = parser.parse_args()
    main(given.folder, given.seed)
