"""Signals that ask a process to stop. They are answered at once, whatever its threads are doing."""

import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from signal import Signals
from types import FrameType, TracebackType
from typing import Any

STOP = (Signals.SIGINT, Signals.SIGTERM)
PAUSE: Signals = getattr(signal, "SIGUSR1", Signals.SIGTERM)  # Windows has no SIGUSR1
SECONDS_TO_END = 0.4  # for the exception of a second signal to end the process in good order
STOPPING = "stopping after this batch; press Ctrl-C again to stop now"
PAUSING = "pausing after this batch"
SHOW_CURSOR = b"\x1b[?25h\n"
STDERR = 2


def _ignore(sentence: str) -> None:
    pass


class StopSignals:
    """Within `with`, signals are requests. The first one is noted in `received` and answered with a
    sentence; the work looks at it between two batches. A second one raises KeyboardInterrupt in the
    main thread, or SystemExit if it is SIGTERM. A stop may follow a request to pause.

    Python runs signal handlers in the main thread only, and not while that is inside a long call of
    the core or of torch. So a thread of ours reads the signals too, from the pipe that Python's C
    handler writes their numbers to; `say` is called in that thread. With `ends_process`, it also
    ends the process if the main thread has not done so soon after a second signal. With `at_end`,
    it calls this function at a second signal and ends the process at once; nothing is raised.

    Python delivers signals to the main thread only; in other threads nothing is installed.
    """

    def __init__(
        self,
        *also: Signals,
        say: Callable[[str], None] = _ignore,
        stopping: str = STOPPING,
        ends_process: bool = False,
        at_end: Callable[[], None] | None = None,
    ) -> None:
        self._handled = (*STOP, *also)
        self._say, self._stopping = say, stopping
        self._ends_process, self._at_end = ends_process, at_end
        self._said = set[str]()
        self._in_main, self._in_thread = list[Signals](), list[Signals]()
        self._before: dict[Signals, Any] = {}
        self._pipe, self._fd_before = (-1, -1), -1
        self._thread = threading.Thread(target=self._listen, name="signals", daemon=True)

    @property
    def received(self) -> Signals | None:
        """The first request to stop; else one to pause; else None."""
        seen = self._seen()
        return next((number for number in seen if number in STOP), seen[0] if seen else None)

    @property
    def is_urgent(self) -> bool:
        """Whether the process was asked to stop more than once."""
        return sum(number in STOP for number in self._seen()) > 1

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        self._pipe = os.pipe()
        os.set_blocking(self._pipe[1], False)  # as set_wakeup_fd wants it
        self._fd_before = signal.set_wakeup_fd(self._pipe[1], warn_on_full_buffer=False)
        self._before = {number: signal.signal(number, self._handle) for number in self._handled}
        self._thread.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._before:
            return
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._fd_before)
        os.close(self._pipe[1])  # the thread reads what is left, and ends
        if not self.is_urgent:
            self._thread.join()

    def _seen(self) -> list[Signals]:
        """Both lists have the same signals, one of them perhaps later, and the main thread gets two
        equal signals as one if it was busy."""
        return max(self._in_main, self._in_thread, key=len)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self._in_main.append(Signals(number))
        if number in STOP and self.is_urgent and self._at_end is None:
            raise KeyboardInterrupt if number == Signals.SIGINT else SystemExit(128 + number)

    def _listen(self) -> None:
        while numbers := os.read(self._pipe[0], 64):
            self._in_thread += [Signals(number) for number in numbers if number in self._handled]
            if self.is_urgent:
                self._end()
            elif self.received is not None:
                self._answer(PAUSING if self.received == PAUSE else self._stopping)
        os.close(self._pipe[0])

    def _answer(self, sentence: str) -> None:
        """Once; a signal must be obeyed even if there is nobody left to tell."""
        if sentence not in self._said:
            self._said.add(sentence)
            with suppress(OSError, ValueError):
                self._say(sentence)

    def _end(self) -> None:
        """Files are not closed: a run, a collection and an import survive a kill at any moment."""
        if self._at_end is not None:
            with suppress(Exception):  # the main thread may be changing what it looks at
                self._at_end()
        elif self._ends_process:
            time.sleep(SECONDS_TO_END)
        else:
            return
        if os.isatty(STDERR):
            os.write(STDERR, SHOW_CURSOR)
        os._exit(128 + (self.received or Signals.SIGINT))
