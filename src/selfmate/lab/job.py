"""A verb of the command line as a process of its own: it goes on when the lab ends, and gives way
to whoever is in a hurry."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryFile

NICENESS = 10
MOST_COMPLAINT_BYTES = 2000
MOST_KEPT_BYTES = 2**20


class Job:
    def __init__(self, arguments: Sequence[str], folder: Path) -> None:
        self._complaints = TemporaryFile()  # noqa: SIM115 - open while the process runs
        # -P: a file in the folder must not be taken for a module of ours.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "selfmate", *arguments],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._complaints,
            start_new_session=True,
        )
        self.pid = self._process.pid
        os.setpriority(os.PRIO_PROCESS, self.pid, NICENESS)

    @property
    def runs(self) -> bool:
        """To be asked now and then: what was said long ago is dropped here."""
        if os.fstat(self._complaints.fileno()).st_blocks * 512 > MOST_KEPT_BYTES:
            os.truncate(self._complaints.fileno(), 0)
        return self._process.poll() is None

    def end(self) -> None:
        """At once; for a process that has not begun its work."""
        self._process.terminate()
        self._process.wait()

    def problem(self) -> str | None:
        """Why it failed, None when it did not or has not ended."""
        code = self._process.poll()
        if code is None or code == 0:
            return None
        self._complaints.seek(0, os.SEEK_END)
        self._complaints.seek(max(0, self._complaints.tell() - MOST_COMPLAINT_BYTES))
        lines = self._complaints.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1].removeprefix("selfmate: ") if lines else f"it ended with code {code}"
