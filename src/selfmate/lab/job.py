"""A verb of the command line as a process of its own: it goes on when the lab ends, and gives way
to whoever is in a hurry."""

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryFile

NICENESS = 10
MOST_COMPLAINT_BYTES = 2000
MOST_KEPT_BYTES = 2**20  # of what it says
SECONDS_BETWEEN_LOOKS = 60
PATIENCE_S = 5


class Job:
    def __init__(self, arguments: Sequence[str], folder: Path) -> None:
        self._complaints = TemporaryFile()  # noqa: SIM115 - read when it has ended
        # -P: a file in the folder must not be taken for a module of ours.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "selfmate", *arguments],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._complaints,
            start_new_session=True,  # Ctrl-C in the lab's terminal is not for it
        )
        self.pid = self._process.pid
        os.setpriority(os.PRIO_PROCESS, self.pid, NICENESS)
        self._problem: str | None = None
        self._waiting = threading.Thread(target=self._wait, daemon=True)
        self._waiting.start()

    @property
    def runs(self) -> bool:
        return self._waiting.is_alive()

    def end(self) -> None:
        """At once; for a process that has not begun its work. One that has just begun may take its
        time to end in good order, and is not waited for so long."""
        self._process.terminate()
        self._waiting.join(PATIENCE_S)

    def wait(self) -> None:
        """Until it has ended."""
        self._waiting.join()

    def problem(self) -> str | None:
        """Why it failed, None when it did not or has not ended."""
        return self._problem

    def _wait(self) -> None:
        with self._complaints as said:
            while True:
                try:
                    code = self._process.wait(SECONDS_BETWEEN_LOOKS)
                    break
                except subprocess.TimeoutExpired:
                    if os.fstat(said.fileno()).st_blocks * 512 > MOST_KEPT_BYTES:
                        os.truncate(said.fileno(), 0)
            if code:
                self._problem = self._last_words() or f"it ended with code {code}"

    def _last_words(self) -> str:
        end = self._complaints.seek(0, os.SEEK_END)
        self._complaints.seek(max(0, end - MOST_COMPLAINT_BYTES))
        lines = self._complaints.read().decode("utf-8", "replace").strip("\0 \n").splitlines()
        return lines[-1].removeprefix("selfmate: ") if lines else ""
