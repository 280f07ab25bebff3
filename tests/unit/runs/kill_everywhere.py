"""Kills the toy at many of its writes in turn, resumes it, kills it again, until it is done.

Run as `kill_everywhere.py DIRECTORY PLACES`. A separate program, because it forks: a kill then
takes milliseconds. Prints the number of kills; differences go to standard error.
"""

import os
import random
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from contracts.kill import Killer
from selfmate.runs.session import Session
from unit.runs.kept import kept
from unit.runs.toy import run_toy


def survived(event: int, directory: Path) -> bool:
    """Runs or resumes the toy in a child that is killed at `event`."""
    child = os.fork()
    if child == 0:
        killer = Killer(event)
        try:
            run_toy(directory, Session(resume=True, say=lambda notice: None))
            (directory.parent / "events").write_text(str(killer.seen))
        except BaseException as error:
            print(f"killed at {event}: {error!r}", file=sys.stderr, flush=True)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return status == 0


def main() -> None:
    root = Path(sys.argv[1])
    assert survived(0, root / "unbroken")
    events = int((root / "events").read_text())
    unbroken = kept(root / "unbroken")
    kills = 0
    places = min(int(sys.argv[2]), events)
    for event in sorted(random.Random(4).sample(range(1, events + 1), places)):
        rng, fatal, directory = random.Random(event), event, root / "broken"
        while not survived(fatal, directory):
            kills += 1
            fatal = rng.randrange(1, 2 * events)
        broken = kept(directory)
        for name in unbroken.keys() | broken.keys():
            if unbroken.get(name) != broken.get(name):
                print(f"killed at {event}, then {fatal}: {name} differs", file=sys.stderr)
        shutil.rmtree(directory)
    print(kills)


if __name__ == "__main__":
    main()
