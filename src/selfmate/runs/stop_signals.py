"""Ctrl-C and SIGTERM as a wish that is heard at the next step boundary."""

import signal
import threading
from types import FrameType, TracebackType
from typing import Any

HEARD = (signal.SIGINT, signal.SIGTERM)


class StopSignals:
    """Within `with`: the first signal is noted in `received`, a second Ctrl-C interrupts at once.
    Only the main thread can hear signals; elsewhere nothing is installed."""

    def __init__(self) -> None:
        self.received: signal.Signals | None = None
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._hear) for number in HEARD}

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self.received is None:
            self.received = signal.Signals(number)
        elif number == signal.SIGINT:
            raise KeyboardInterrupt
