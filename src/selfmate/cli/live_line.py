"""One line that changes while work goes on; plain lines now and then where that is no terminal."""

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

from selfmate.cli.progress import SECONDS_BETWEEN_LINES

if TYPE_CHECKING:
    from rich.status import Status

SECONDS_BETWEEN_UPDATES = 0.2


class LiveLine:
    """On standard error. `line` gets the seconds since the beginning and says how far it is."""

    def __init__(self, line: Callable[[float], str]) -> None:
        self._line = line
        self._started = self._shown = time.monotonic()
        self._status: Status | None = None

    def __enter__(self) -> "LiveLine":
        if sys.stderr.isatty():
            from rich.console import Console

            self._status = Console(stderr=True, highlight=False).status("starting ...")
            self._status.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def update(self) -> None:
        """May be called as often as one likes; shows at most a few lines a second."""
        now = time.monotonic()
        pause = SECONDS_BETWEEN_LINES if self._status is None else SECONDS_BETWEEN_UPDATES
        if now - self._shown < pause:
            return
        self._shown = now
        text = self._line(now - self._started)
        if self._status is not None:
            self._status.update(text)
        else:
            print(text, file=sys.stderr, flush=True)
