"""Measures how long commands keep a user waiting: for the first sign of progress, for an answer to
Ctrl-C, and for the end after a second Ctrl-C. Prints a table; fails if a bar is missed.

    python scripts/measure_stops.py [--idle] [COMMAND ...]

Each command runs twice, in a folder that is deleted: once it is stopped by one Ctrl-C, once by two.
Meanwhile two processes keep the cores busy, unless `--idle` is given.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from selfmate.rules import random_games, write_pgn

BUSY_PROCESSES = 2
BARS = {"first": 10.0, "answer": 1.0, "end": 1.0}  # seconds
GIVE_UP_SECONDS = 120.0
WORK_SECONDS = 3.0  # between the first sign and Ctrl-C
PROGRESS = re.compile(r"\d[\d,.]* (\w+ )?of [\d,]+|\d+/\d+|\d ?%|\d[\d,.]* \w+/(s|min)")
ANSWER = re.compile(r"stopp|interrupt", re.IGNORECASE)
ENDED_BY_CTRL_C = (130, -signal.SIGINT)  # both are 130 in a shell

PUZZLE = "6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 0 1,g8h8 a1a8,800,mateIn1\n"
DATA = {"games": "games.pgn", "chunks": "chunks", "labels": "labels.ndjson", "puzzles": "p.csv"}
PLAYER = "alphazero-tiny:sims=400"
COMMANDS = {
    **{
        f"train {name}": ("train", name)
        for name in ("alphazero", "dqn", "reinforce", "searchless", "sarsa", "ddqn")
    },
    "pretrain dqn": ("pretrain", "dqn", "--data", DATA["labels"], "--set=epochs=1000"),
    "pretrain alphazero": ("pretrain", "alphazero", "--data", DATA["chunks"]),
    "pretrain searchless": ("pretrain", "searchless", "--data", DATA["chunks"]),
    "demo": ("demo",),
    "collect": ("collect", "--out", "new.ndjson", "--games=1000000"),
    "import": ("import", DATA["games"], "--out", "new", "--least-elo=0", "--unrated"),
    "match": ("match", PLAYER, "teacher:depth=3"),
    "rate": ("rate", PLAYER),
    "puzzles": ("puzzles", PLAYER, DATA["puzzles"]),
    "conversion": ("conversion", PLAYER),
}


@dataclass(frozen=True)
class Waits:
    """Seconds; None where the command ended before."""

    first: float | None
    answer: float | None
    end: float | None
    code: int
    text: str  # all that it printed


class Watched:
    """A command, the lines it prints, and when."""

    def __init__(self, arguments: tuple[str, ...], folder: Path) -> None:
        self.lines: list[str] = []
        self._process = subprocess.Popen(
            [sys.executable, "-m", "selfmate", *arguments],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._changed:
                self.lines.append(line.decode(errors="replace").rstrip())
                self._changed.notify_all()
        with self._changed:
            self._changed.notify_all()

    def wait_for(self, pattern: re.Pattern[str], after: int = 0) -> bool:
        """Waits for a line that fits, among those after the first `after`."""

        def is_over() -> bool:
            return any(map(pattern.search, self.lines[after:])) or not self._reader.is_alive()

        with self._changed:
            self._changed.wait_for(is_over, GIVE_UP_SECONDS)
        return any(map(pattern.search, self.lines[after:]))

    def press_ctrl_c(self) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def end(self) -> int:
        try:
            return self._process.wait(GIVE_UP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            return self._process.wait()


def measure(arguments: tuple[str, ...], folder: Path, presses: int) -> Waits:
    began = time.monotonic()
    watched = Watched(arguments, folder)
    first = _seconds(lambda: watched.wait_for(PROGRESS), began)
    time.sleep(WORK_SECONDS)
    before, pressed = len(watched.lines), time.monotonic()
    watched.press_ctrl_c()
    answer = _seconds(lambda: watched.wait_for(ANSWER, before), pressed)
    if presses > 1:
        pressed = time.monotonic()
        watched.press_ctrl_c()
    code = watched.end()
    return Waits(first, answer, time.monotonic() - pressed, code, "\n".join(watched.lines))


def _seconds(happens: Callable[[], bool], since: float) -> float | None:
    return time.monotonic() - since if happens() else None


def make_data(folder: Path) -> None:
    with (folder / DATA["games"]).open("w") as file:
        write_pgn(random_games(60_000, seed=1), file)
    with (folder / "few.pgn").open("w") as file:
        write_pgn(random_games(300, seed=2), file)
    (folder / DATA["puzzles"]).write_text("FEN,Moves,Rating,Themes\n" + 400_000 * PUZZLE)
    for arguments in (
        ("import", "few.pgn", "--out", DATA["chunks"], "--least-elo=0", "--unrated"),
        ("collect", "--out", DATA["labels"], "--games=200", "--depth=1"),
    ):
        command = [sys.executable, "-m", "selfmate", *arguments]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)


@contextmanager
def busy_cores(count: int) -> Iterator[None]:
    """Processes that compute without end."""
    command = [sys.executable, "-c", "while True: pass"]
    processes = [subprocess.Popen(command) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def row(name: str, folder: Path) -> tuple[str, bool]:
    """A line of the table, and whether all bars were met."""
    runs = []
    for presses in (1, 2):
        with tempfile.TemporaryDirectory(dir=folder) as own:
            for source in DATA.values():
                (Path(own) / source).symlink_to(folder / source)
            runs.append(measure(COMMANDS[name], Path(own), presses))
    one, two = runs
    first = max((run.first or GIVE_UP_SECONDS for run in runs), default=GIVE_UP_SECONDS)
    answer = max((run.answer or GIVE_UP_SECONDS for run in runs), default=GIVE_UP_SECONDS)
    end = two.end or GIVE_UP_SECONDS
    has_traceback = any("Traceback" in run.text for run in runs)
    by_ctrl_c = all(run.code in ENDED_BY_CTRL_C for run in runs)
    is_met = first <= BARS["first"] and answer <= BARS["answer"] and end <= BARS["end"]
    faults = ["traceback"] * has_traceback + [f"codes {one.code}, {two.code}"] * (not by_ctrl_c)
    line = f"| {name:<20}| {first:7.1f} | {answer:7.2f} | {one.end or 0:7.1f} | {end:7.2f} | "
    return line + ", ".join(faults), is_met and not faults


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commands", nargs="*", help=f"of: {', '.join(COMMANDS)}")
    parser.add_argument("--idle", action="store_true", help="without busy cores")
    wanted = parser.parse_args()
    names = wanted.commands or list(COMMANDS)
    # A shell without job control starts processes that ignore Ctrl-C, and children inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    all_met = True
    print("| command             | first s | answer s | end s, one | end s, two | |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        make_data(Path(folder))
        with busy_cores(0 if wanted.idle else BUSY_PROCESSES):
            for name in names:
                line, is_met = row(name, Path(folder))
                print(line, flush=True)
                all_met &= is_met
    sys.exit(0 if all_met else 1)


if __name__ == "__main__":
    main()
