"""The table of docs/scale.md is what its simulation says."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
WORKERS = (1, 10, 100, 1000)
VARIANTS = ("cycles", "larger", "learners", "window")  # the columns of the page


def test_the_table_is_that_of_the_simulation() -> None:
    script = str(ROOT / "experiments/scale_simulation.py")
    command = [sys.executable, script, "--json", "--workers", *map(str, WORKERS)]
    rows = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    found = {(row["variant"], row["workers"]): row for row in rows}
    table = _table((ROOT / "docs/scale.md").read_text(encoding="utf-8"))
    for workers in WORKERS:
        cells = table[f"{workers:,}"]
        for variant, cell in zip(VARIANTS, cells, strict=True):
            row = found[variant, workers]
            games = _number(row["games_per_minute"])
            formula = _number(row["formula_games_per_minute"])
            told = games if variant == "window" else f"{games} ({formula})"
            assert not cell or cell.split(", ")[0] == told, (workers, variant)
            if "games" in cell:
                assert cell.endswith(f" {row['games_per_cycle']:,} games")
    for workers in (100, 1000):
        waiting = [f"{100 * found[variant, workers]['waiting']:.0f} %" for variant in VARIANTS]
        assert table[f"workers wait, {workers:,}"] == waiting


def _number(value: float) -> str:
    return f"{value:.1f}" if value < 10 else f"{value:.0f}"


def _table(page: str) -> dict[str, list[str]]:
    """The rows of all tables, by their first cells."""
    lines = [line.strip("|").split("|") for line in page.splitlines() if line.startswith("|")]
    return {line[0].strip(): [cell.strip() for cell in line[1:]] for line in lines}
