"""Files that a test draws: compared as they are, rewritten by `make docs`."""

import os
from pathlib import Path


def check_golden(path: Path, drawn: str) -> None:
    """The file holds what was drawn, or is brought up to date when that is asked for."""
    if os.environ.get("SELFMATE_UPDATE_GOLDEN"):
        path.write_text(drawn, "utf-8")
    assert path.read_text("utf-8") == drawn, f"{path.name} is out of date: run `make docs`"
