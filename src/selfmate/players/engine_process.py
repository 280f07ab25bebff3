"""An engine's process: lines out and in, bounded in time and memory, and a sure end."""

import os
import select
import signal
import subprocess
from collections import deque
from threading import Lock
from time import monotonic

CHUNK_BYTES = 1 << 16
# The longest line an engine may say. Lines of deep analysis have a few hundred bytes.
MAX_LINE_BYTES = 1 << 16
LONGEST_WAIT_S = 86400.0  # what poll takes; no engine is waited for so long


class EngineFaultError(RuntimeError):
    """What an engine did wrong; its text is the reason of the forfeit."""


class EngineProcess:
    """Used by one thread at a time; only `kill` may be called from any other.

    Deadlines are readings of `time.monotonic`.
    """

    def __init__(self, path: str) -> None:
        self._process = subprocess.Popen(
            [path],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # a process group to be killed whole; Ctrl-C does not reach it
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)
        self._lines: deque[bytes] = deque()
        self._rest = b""
        self._reaping = Lock()

    def say(self, text: str, deadline: float) -> None:
        """Sends lines; an engine that never reads cannot hold us up."""
        left = f"{text}\n".encode()
        while left:
            if not _wait(self._in, select.POLLOUT, deadline):
                raise EngineFaultError("time")
            try:
                left = left[os.write(self._in, left) :]
            except BlockingIOError:
                continue
            except BrokenPipeError:
                raise EngineFaultError("crashed") from None

    def hear(self, deadline: float) -> str | None:
        """The engine's next line, None when it does not come by the deadline."""
        while not self._lines:
            if not _wait(self._out, select.POLLIN, deadline):
                return None
            self._read()
        return self._lines.popleft().decode("utf-8", "replace").strip()

    def unheard(self) -> list[str]:
        """What it said that nobody asked for, as far as it is there already."""
        if _ready(self._out, select.POLLIN, 0):
            self._read()
        lines = [line.decode("utf-8", "replace").strip() for line in self._lines]
        self._lines.clear()
        return lines

    def _read(self) -> None:
        chunk = os.read(self._out, CHUNK_BYTES)
        if not chunk:
            raise EngineFaultError("crashed")
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        if len(self._rest) > MAX_LINE_BYTES:
            raise EngineFaultError(f"flood: a line of more than {MAX_LINE_BYTES} bytes")
        self._lines.extend(lines)

    def kill(self) -> None:
        """Kills the process and its children; whoever uses it sees the end of its output."""
        with self._reaping:
            # Until it is waited for, a dead process keeps its number: no other can be hit.
            if self._process.returncode is None:
                os.killpg(self._process.pid, signal.SIGKILL)

    def end(self) -> int:
        """Kills what still runs, waits for it and returns the exit code."""
        self.kill()
        with self._reaping:
            code = self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        return code


def _wait(pipe: int, event: int, deadline: float) -> bool:
    """Whether a pipe gets ready by the deadline; past it, a pipe in flood is no more asked."""
    left_s = deadline - monotonic()
    return left_s >= 0 and _ready(pipe, event, min(left_s, LONGEST_WAIT_S))


def _ready(pipe: int, event: int, wait_s: float) -> bool:
    poll = select.poll()
    poll.register(pipe, event)
    return bool(poll.poll(wait_s * 1000))


class Processes:
    """The processes of one player. None is left after `end_all`, nor started by a race with it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._running: set[EngineProcess] = set()
        self.closed = False

    def open(self) -> None:
        self.closed = False

    def start(self, path: str) -> EngineProcess:
        with self._lock:
            if self.closed:
                raise EngineFaultError("stopped")
            process = EngineProcess(path)
            self._running.add(process)
        return process

    def end(self, process: EngineProcess) -> int:
        code = process.end()
        with self._lock:
            self._running.discard(process)
        return code

    def kill_all(self) -> None:
        """Wakes all who wait for an engine; they find it crashed, and can start no other."""
        with self._lock:
            self.closed = True
            for process in self._running:
                process.kill()

    def end_all(self) -> None:
        self.kill_all()
        for process in tuple(self._running):
            self.end(process)
