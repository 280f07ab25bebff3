"""Kills an import at so many of its writes in turn, lets it go on, and so on until it is done.

Run as `kill_imports.py DIRECTORY PLACES`. A program of its own, because it forks.
Prints how many kills there were; what came out different goes to standard error.
"""

import os
import random
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from contracts.kill import Killer
from unit.data.imports import game_files, import_all
from unit.runs.kept import contents


def survived(event: int, games: list[Path], out: Path) -> bool:
    """Imports in a child that is killed at `event`."""
    child = os.fork()
    if child == 0:
        killer = Killer(event)
        try:
            import_all(games, out)
            (out.parent / "events").write_text(str(killer.seen))
        except BaseException as error:
            print(f"killed at {event}: {error!r}", file=sys.stderr, flush=True)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return status == 0


def main() -> None:
    root = Path(sys.argv[1])
    games = game_files(root)
    assert survived(0, games, root / "unbroken")
    events = int((root / "events").read_text())
    unbroken, kills = contents(root / "unbroken"), 0
    for event in sorted(random.Random(4).sample(range(1, events), int(sys.argv[2]))):
        chance, fatal, out = random.Random(event), event, root / "broken"
        while not survived(fatal, games, out):
            kills += 1
            fatal = chance.randrange(1, 2 * events)
        if contents(out) != unbroken:
            print(f"killed at {event}, then {fatal}: it differs", file=sys.stderr)
        shutil.rmtree(out)
    print(kills)


if __name__ == "__main__":
    main()
