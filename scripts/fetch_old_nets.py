"""Fetches the nets that version 0.1.0 shipped from the history of this repository.

python scripts/fetch_old_nets.py [--out runs/v0.1.0]
selfmate match alphazero-tiny:sims=100 runs/v0.1.0/alphazero-tiny:sims=100
"""

import argparse
import subprocess
from pathlib import Path

COMMIT = "24e24de"  # version 0.1.0; a tag may not travel with the branch
WEIGHTS = "src/selfmate/weights"
NETS = ("alphazero-tiny", "searchless-tiny")
FILES = ("card.json", "weights.safetensors")


def fetch(out: Path) -> list[Path]:
    """Writes a folder for each net, which is a player by its path; returns them."""
    folders = []
    for net in NETS:
        folder = out / net
        folder.mkdir(parents=True, exist_ok=True)
        for file in FILES:
            (folder / file).write_bytes(_show(f"{COMMIT}:{WEIGHTS}/{net}/{file}"))
        folders.append(folder)
    return folders


def _show(path: str) -> bytes:
    """A file as it was in a commit."""
    command = ["git", "-C", str(Path(__file__).parent), "show", path]
    return subprocess.run(command, check=True, capture_output=True).stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("runs/v0.1.0"), help="folder to write to")
    for folder in fetch(parser.parse_args().out):
        print(folder)


if __name__ == "__main__":
    main()
