"""The lab as a process, for tests: on any free port of loopback, with its own token and runs."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from selfmate.lab.app import is_built, page_folder


@dataclass(frozen=True)
class RunningLab:
    link: str
    runs: Path
    process: "subprocess.Popen[str]"

    @property
    def address(self) -> str:
        """Without the token."""
        parts = urlsplit(self.link)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def host(self) -> str:
        return urlsplit(self.link).netloc

    @property
    def port(self) -> int:
        port = urlsplit(self.link).port
        assert port is not None
        return port

    @property
    def token(self) -> str:
        return parse_qs(urlsplit(self.link).query)["token"][0]


def require_page() -> None:
    """Skips the test where Node.js was missing at installation."""
    if not is_built(page_folder()):
        pytest.skip("the page is not built: there is no Node.js")


@contextmanager
def running_lab(folder: Path, *options: str) -> Iterator[RunningLab]:
    """Runs are in `folder/runs`. Trainings that were started are stopped with it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "selfmate", "lab", "--port", "0", "--no-browser", *options],
        cwd=folder,
        env=os.environ | {"XDG_STATE_HOME": str(folder / "state")},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        lines = iter(process.stdout.readline, "")
        link = next((line.strip() for line in lines if line.startswith("http")), "")
        assert link, f"the lab ended with code {process.wait()}"
        yield RunningLab(link, folder / "runs", process)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=20)
        process.stdout.close()
        stop_trainings(folder / "runs")


def stop_trainings(runs: Path) -> None:
    """What a lab started outlives it; tests may not leave it behind."""
    from selfmate.runs.directory import list_runs

    for run in list_runs(runs):
        status = run.status()
        if status.state == "running" and status.pid:
            os.kill(status.pid, signal.SIGKILL)
