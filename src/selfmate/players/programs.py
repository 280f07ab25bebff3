"""Where installed programs are."""

import shutil
from pathlib import Path

# Debian puts games where PATH does not always look.
GAMES_FOLDER = Path("/usr/games")


def find_program(name: str) -> str | None:
    """The path of an installed program, or None."""
    found = shutil.which(name)
    if found is None and (GAMES_FOLDER / name).is_file():
        found = str(GAMES_FOLDER / name)
    return found
