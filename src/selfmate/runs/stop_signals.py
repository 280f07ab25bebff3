"""Signals as wishes that are heard at the next step boundary: Ctrl-C, SIGTERM, for runs a pause."""

import signal
import threading
from types import FrameType, TracebackType
from typing import Any

HEARD = (signal.SIGINT, signal.SIGTERM)
PAUSE = signal.SIGUSR1


class StopSignals:
    """Within `with`: the first signal is noted in `received`, a second Ctrl-C interrupts at once.
    Who asked for a pause may still ask for more. Only the main thread can hear signals; elsewhere
    nothing is installed."""

    def __init__(self, *also: signal.Signals) -> None:
        self._heard = (*HEARD, *also)
        self.received: signal.Signals | None = None
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._hear) for number in self._heard}

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self.received in (None, PAUSE):
            self.received = signal.Signals(number)
        elif number == signal.SIGINT:
            raise KeyboardInterrupt
