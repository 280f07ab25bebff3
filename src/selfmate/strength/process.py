"""A verb of Selfmate in a process of its own, as a user would start it; it ends when we do.

Its standard input is a pipe that nothing is written to. When the process that holds the other end
is killed, the pipe ends, and so does the verb: at once, which runs and pools survive.
"""

import os
import runpy
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from signal import SIGINT
from tempfile import TemporaryFile
from typing import IO

SECONDS_BETWEEN_LOOKS = 0.25
MAX_LOG_BYTES = 4096  # read of its end
STDIN = 0


class VerbProcess:
    """`selfmate ARGUMENTS` in a working directory. What it says is added to `log`."""

    def __init__(self, arguments: Sequence[str], folder: Path, log: Path) -> None:
        self._log = log
        self._stdout: IO[bytes] = TemporaryFile()  # noqa: SIM115 - read when it has ended
        self._output = b""
        with log.open("ab") as said:
            self._process = subprocess.Popen(
                # -P: a file in the folder must not be imported instead of one of our modules.
                [sys.executable, "-P", "-m", __name__, *arguments],
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=self._stdout,
                stderr=said,
                start_new_session=True,  # Ctrl-C reaches it through us
            )
        self.pid = self._process.pid

    def wait(self, should_stop: Callable[[], bool]) -> int:
        """Blocks until it has ended; returns its exit code. Asks `should_stop` a few times a
        second, and passes a request on once."""
        asked = False
        while True:
            try:
                return self._process.wait(SECONDS_BETWEEN_LOOKS)
            except subprocess.TimeoutExpired:
                if should_stop() and not asked:
                    asked = True
                    self._process.send_signal(SIGINT)

    def close(self) -> None:
        """Ends it if it still runs."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait()
        with self._stdout as file:
            file.seek(0)
            self._output = file.read()

    def output(self) -> bytes:
        """What it wrote to standard output, once it is closed."""
        return self._output

    def last_line(self) -> str:
        """The last line of its log: after a failure, why."""
        with self._log.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - MAX_LOG_BYTES))
            lines = file.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1].removeprefix("selfmate: ") if lines else ""


def _end_with_parent() -> None:
    while os.read(STDIN, 1):
        pass
    os._exit(1)


def main() -> None:
    """`selfmate` with the arguments of this process."""
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    runpy.run_module("selfmate", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
