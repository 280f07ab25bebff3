"""A command of `selfmate` as a process of its own: it outlives the lab, at a low priority."""

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryFile

NICENESS = 10
MAX_MESSAGE_BYTES = 2000
MAX_STDERR_BYTES = 2**20
SECONDS_BETWEEN_LOOKS = 60
TERMINATE_SECONDS = 5


class Job:
    def __init__(self, arguments: Sequence[str], folder: Path) -> None:
        self._stderr = TemporaryFile()  # noqa: SIM115 - read when the process has ended
        # -P: a file in the folder must not be imported instead of one of our modules.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "selfmate", *arguments],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._stderr,
            start_new_session=True,  # Ctrl-C in the lab's terminal is not for it
        )
        self.pid = self._process.pid
        if hasattr(os, "setpriority"):  # not on Windows
            os.setpriority(os.PRIO_PROCESS, self.pid, NICENESS)
        self._problem: str | None = None
        self._waiting = threading.Thread(target=self._wait, daemon=True)
        self._waiting.start()

    @property
    def runs(self) -> bool:
        return self._waiting.is_alive()

    def end(self) -> None:
        """Terminates a process that has not begun its work. One that has just begun may take longer
        to end in good order; then this returns before it has ended."""
        self._process.terminate()
        self._waiting.join(TERMINATE_SECONDS)

    def wait(self) -> None:
        """Blocks until the process has ended."""
        self._waiting.join()

    def problem(self) -> str | None:
        """Why it failed; None when it did not fail or has not ended."""
        return self._problem

    def _wait(self) -> None:
        with self._stderr as stderr:
            while True:
                try:
                    code = self._process.wait(SECONDS_BETWEEN_LOOKS)
                    break
                except subprocess.TimeoutExpired:
                    blocks = getattr(os.fstat(stderr.fileno()), "st_blocks", 0)
                    if blocks * 512 > MAX_STDERR_BYTES:
                        os.truncate(stderr.fileno(), 0)
            if code:
                self._problem = self._last_line() or f"it ended with code {code}"

    def _last_line(self) -> str:
        end = self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, end - MAX_MESSAGE_BYTES))
        lines = self._stderr.read().decode("utf-8", "replace").strip("\0 \n").splitlines()
        return lines[-1].removeprefix("selfmate: ") if lines else ""
