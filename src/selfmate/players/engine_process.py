"""Processes of external engines: lines in and out with deadlines, bounded memory, a sure end."""

import os
import select
import signal
import subprocess
from collections import deque
from threading import Lock
from time import monotonic
from weakref import WeakSet

CHUNK_BYTES = 1 << 16
# The longest line an engine may send. Lines of deep analysis have a few hundred bytes.
MAX_LINE_BYTES = 1 << 16
MAX_WAIT_S = 86400.0  # poll() takes no infinite timeout in milliseconds


class EngineFaultError(RuntimeError):
    """What an engine did wrong; the text is the reason of the forfeit."""


class EngineProcess:
    """One running engine. Used by one thread at a time; only `kill` may be called from another.

    Deadlines are readings of `time.monotonic`. A process that ended or closed its pipes raises
    EngineFaultError("crashed").
    """

    def __init__(self, path: str) -> None:
        self.path = path
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
        self._stdin, self._stdout = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._stdin, False)
        os.set_blocking(self._stdout, False)
        self._lines: deque[bytes] = deque()
        self._partial_line = b""
        self._reaping = Lock()

    def send(self, text: str, deadline: float) -> None:
        """Sends lines. An engine that does not read them by the deadline is a `time` fault."""
        unsent = f"{text}\n".encode()
        while unsent:
            if not _wait(self._stdin, select.POLLOUT, deadline):
                raise EngineFaultError("time")
            try:
                unsent = unsent[os.write(self._stdin, unsent) :]
            except BlockingIOError:
                continue
            except BrokenPipeError:
                raise EngineFaultError("crashed") from None

    def receive(self, deadline: float) -> str | None:
        """The engine's next line; None if there is none by the deadline."""
        while not self._lines:
            if not _wait(self._stdout, select.POLLIN, deadline):
                return None
            self._read()
        return _text(self._lines.popleft())

    def receive_pending(self) -> list[str]:
        """The lines that have arrived by now, without waiting."""
        if _is_ready(self._stdout, select.POLLIN, 0):
            self._read()
        lines = [_text(line) for line in self._lines]
        self._lines.clear()
        return lines

    def _read(self) -> None:
        chunk = os.read(self._stdout, CHUNK_BYTES)
        if not chunk:
            raise EngineFaultError("crashed")
        *lines, self._partial_line = (self._partial_line + chunk).split(b"\n")
        if len(self._partial_line) > MAX_LINE_BYTES:
            raise EngineFaultError(f"flood: a line of more than {MAX_LINE_BYTES} bytes")
        self._lines.extend(lines)

    def kill(self) -> None:
        """Kills the process and its children; the thread that uses it reads the end of output."""
        with self._reaping:
            # A dead process keeps its number until it is waited for, so no other can be hit.
            if self._process.returncode is None:
                if hasattr(os, "killpg"):
                    os.killpg(self._process.pid, signal.SIGKILL)
                else:
                    self._process.kill()

    def end(self) -> int:
        """Kills what still runs, waits for it and returns the exit code."""
        self.kill()
        with self._reaping:
            code = self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        return code


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace").strip()


def _wait(pipe: int, event: int, deadline: float) -> bool:
    """Whether the pipe is ready by the deadline; False once the deadline has passed.

    The deadline counts even if the pipe is ready, so a flood of lines cannot hold us up.
    """
    left_s = deadline - monotonic()
    return left_s >= 0 and _is_ready(pipe, event, min(left_s, MAX_WAIT_S))


def _is_ready(pipe: int, event: int, timeout_s: float) -> bool:
    poll = select.poll()
    poll.register(pipe, event)
    return bool(poll.poll(timeout_s * 1000))


_groups: "WeakSet[ProcessGroup]" = WeakSet()


def kill_engines() -> None:
    """Kills the engines of all players; for a program that ends without closing them."""
    for group in tuple(_groups):
        group.kill_all()


class ProcessGroup:
    """All processes of one player. After `end_all` none is left or can start until `open`."""

    def __init__(self) -> None:
        _groups.add(self)
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
        """Ends one process and returns its exit code."""
        code = process.end()
        with self._lock:
            self._running.discard(process)
        return code

    def kill_all(self) -> None:
        """Kills all processes; threads that wait for one see a crash and can start no other."""
        with self._lock:
            self.closed = True
            for process in self._running:
                process.kill()

    def end_all(self) -> None:
        self.kill_all()
        for process in tuple(self._running):
            self.end(process)
