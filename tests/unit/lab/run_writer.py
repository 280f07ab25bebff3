"""A process that writes a run, as a training does, and says which signals it hears."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PROGRAM = """
import signal, sys
from pathlib import Path
from selfmate.runs.status import Lock
from selfmate.runs.status import Heartbeat, Status
for heard in (signal.SIGUSR1, signal.SIGTERM):
    signal.signal(heard, lambda number, frame: print(signal.Signals(number).name, flush=True))
for folder in sys.argv[1:2]:
    lock = Lock(Path(folder))
for folder in sys.argv[2:]:
    Heartbeat(Path(folder), Status(state="running", unit="games"))
print("ready", flush=True)
sys.stdin.read()
"""


class Writer:
    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.pid = process.pid

    def line(self) -> str:
        """What it says next; waits for it."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def wait(self) -> None:
        """Until it has ended."""
        self._process.wait(timeout=30)

    def rest(self) -> str:
        """What it says until it ends, which it does now."""
        return self._process.communicate(timeout=30)[0]


@contextmanager
def writer(locks: Path, *beats: Path) -> Iterator[Writer]:
    """Holds the lock of one directory, and writes the status of others; until then it waits."""
    folders = [str(locks), *map(str, beats)]
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *folders],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        found = Writer(process)
        try:
            assert found.line() == "ready"
            yield found
        finally:
            process.send_signal(signal.SIGKILL)
