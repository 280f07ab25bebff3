"""Response times of the lab while trainings use all cores."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count, cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import parse_qs, urlsplit

import numpy as np
from websockets.sync.client import ClientConnection, connect

from selfmate.lab.app import is_built, page_folder
from selfmate.lab.job import NICENESS
from selfmate.lab.topics import SECONDS_BETWEEN_UPDATES
from selfmate.runs import STATUS
from selfmate_benchmarks import Results

ROUNDS = 60
TIMEOUT_S = 60
LEARNERS = ("reinforce", "dqn")
SELFMATE = (sys.executable, "-m", "selfmate")

Go = Callable[[], object]


def run(rounds: int = ROUNDS) -> Results:
    """Trainings run as the lab starts them, one per core; requests are made in turn."""
    if not is_built(page_folder()):
        return {"page_median_ms": None}
    with TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        runs = [folder / "runs" / str(number) for number in range(os.cpu_count() or 1)]
        for learner, path in zip(cycle(LEARNERS), runs, strict=False):
            stack.enter_context(_training(learner, path))
        for path in runs:
            _await(path)
        began = time.perf_counter()
        link = stack.enter_context(running_lab(folder))
        link_s = time.perf_counter() - began
        waits = _waits(link, rounds, stack)
    return {
        "link_s": link_s,
        **{f"{key}_median_ms": float(np.median(times)) for key, times in waits.items()},
        **{f"{key}_p95_ms": float(np.percentile(times, 95)) for key, times in waits.items()},
    }


def _waits(link: str, rounds: int, stack: ExitStack) -> dict[str, list[float]]:
    """Milliseconds that each kind of request took, in every round."""
    parts = urlsplit(link)
    bearer = {"Authorization": f"Bearer {parse_qs(parts.query)['token'][0]}"}
    http_client = http.client.HTTPConnection(parts.netloc, timeout=TIMEOUT_S)
    stack.callback(http_client.close)
    socket = stack.enter_context(
        connect(f"ws://{parts.netloc}/api/news", additional_headers=bearer, proxy=None)
    )

    def get(path: str) -> Go:
        def ask() -> None:
            http_client.request("GET", path, headers=bearer)
            answer = http_client.getresponse()
            if answer.status != http.HTTPStatus.OK or not answer.read():
                raise RuntimeError(f"{path} answered {answer.status}")

        return ask

    goes: dict[str, Go] = {
        "page": get("/"),
        "script": get("/page.js"),
        "players": get("/api/players"),
        "socket": _following(socket),
    }
    waits: dict[str, list[float]] = {key: [] for key in goes}
    for _ in range(rounds):
        for key, go in goes.items():
            began = time.perf_counter()
            go()
            waits[key].append(1000 * (time.perf_counter() - began))
        time.sleep(SECONDS_BETWEEN_UPDATES)  # the socket pauses this long between messages
    return waits


def _following(socket: ClientConnection) -> Go:
    """Subscribes to a new topic and waits for its first message."""
    names = (f"nothing:{number}" for number in count())

    def follow() -> None:
        name = next(names)
        socket.send(json.dumps({"follow": [name]}))
        while name not in json.loads(socket.recv(timeout=TIMEOUT_S))["news"]:
            pass

    return follow


@contextmanager
def _training(learner: str, path: Path) -> Iterator[None]:
    process = subprocess.Popen(
        ["nice", "-n", str(NICENESS), *SELFMATE, "train", learner, "--run", str(path)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.kill()
        process.wait()


def _await(path: Path) -> None:
    due = time.monotonic() + TIMEOUT_S
    while not (path / STATUS).exists():
        if time.monotonic() > due:
            raise RuntimeError(f"the training in {path} did not start")
        time.sleep(0.1)


@contextmanager
def running_lab(folder: Path, *options: str) -> Iterator[str]:
    """Starts a lab whose runs are in `folder/runs`; yields its link."""
    runs = ("--runs", str(folder / "runs"))
    process = subprocess.Popen(
        [*SELFMATE, "lab", "--port", "0", "--no-browser", *runs, *options],
        env=os.environ | {"XDG_STATE_HOME": str(folder / "state")},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    with process.stdout as lines:
        try:
            link = next((line.strip() for line in lines if line.startswith("http://")), "")
            if not link:
                raise RuntimeError("the lab did not open")
            yield link
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()
