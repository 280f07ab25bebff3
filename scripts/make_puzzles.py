"""Makes the puzzles that ship: `python scripts/make_puzzles.py FOLDER`, with Stockfish installed.

The nets that ship play matches at several strengths, so that there is something to punish.
Stockfish finds the positions in which one move alone is good, and checks every move of the
solution (`selfmate mine`). The result is `src/selfmate/arena/puzzles.csv`, easiest first. It takes
an hour or so. The file that ships was made in this way, but in several sessions (decision 33), so
that it will not come out the same.
"""

import csv
import subprocess
import sys
from pathlib import Path

SHIPPED = Path(__file__).parents[1] / "src" / "selfmate" / "arena" / "puzzles.csv"
COLUMNS = ("PuzzleId", "FEN", "Moves", "Rating", "Themes")
MATCHES = (
    ("alphazero-tiny:elo=1000", "searchless-tiny"),
    ("alphazero-tiny:elo=1400", "alphazero-tiny:elo=1300"),
    ("alphazero-tiny:sims=50,temperature=0.7", "searchless-tiny"),
    ("alphazero-tiny:elo=700", "alphazero-tiny:elo=900"),
)
GAMES, MOST = 60, 240
SCAN = "stockfish:nodes=5000"  # a first look; solutions are checked with 500,000 nodes


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"match-{number}.pgn" for number in range(len(MATCHES))]
    for (a, b), file in zip(MATCHES, files, strict=True):
        if not file.exists():
            log = ["--log", str(folder / "log"), "--resume"]
            _selfmate("match", a, b, "--games", str(GAMES), "--pgn", str(file), *log)
    mined = folder / "mined.csv"
    mined.unlink(missing_ok=True)
    _selfmate("mine", *map(str, files), "--out", str(mined), "--most", str(MOST), "--scan", SCAN)
    ship(mined)


def ship(mined: Path) -> None:
    """Without the games, which nobody can look up, and with ids of our own."""
    with mined.open(encoding="utf-8", newline="") as file:
        puzzles = sorted(csv.DictReader(file), key=lambda one: (int(one["Rating"]), one["FEN"]))
    with SHIPPED.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for number, one in enumerate(puzzles, 1):
            writer.writerow([f"s{number:03}", *(one[column] for column in COLUMNS[1:])])


def _selfmate(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "selfmate", *arguments], check=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
