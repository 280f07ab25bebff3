"""Ctrl-C and SIGTERM in verbs that play games for a long time, and the command that continues."""

import os
import shlex
import shutil
import signal
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import typer

from selfmate.cli.console import LiveLine

STOP = (signal.SIGINT, signal.SIGTERM)


class StopListener:
    """Within `with`, the first Ctrl-C or SIGTERM is answered with a line and noted in `received`:
    the verb ends its work between two moves. The second ends the process, engines included, after
    `report` has shown what there is.

    A thread listens, because Python handles signals only when the main thread is between two
    instructions, and a search in the core may keep it for minutes.
    """

    def __init__(self, view: LiveLine, report: Callable[[], None]) -> None:
        self.received: signal.Signals | None = None
        self._view, self._report = view, report
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._listening, self._signalled = socket.socketpair()
            self._signalled.setblocking(False)
            self._before = {number: signal.signal(number, _leave_it) for number in STOP}
            self._wakeup = signal.set_wakeup_fd(self._signalled.fileno())
            self._thread = threading.Thread(target=self._listen, daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._before:
            signal.set_wakeup_fd(self._wakeup)
            for number, handler in self._before.items():
                signal.signal(number, handler)
            self._signalled.close()
            self._thread.join()

    def is_set(self) -> bool:
        return self.received is not None

    def end(self) -> None:
        """To be called after the work: reports and leaves with the signal's code, if one came."""
        self._view.close()
        if self.received is not None:
            self._report()
            raise typer.Exit(128 + self.received)

    def _listen(self) -> None:
        with self._listening:
            while number := self._listening.recv(1):
                if number[0] not in STOP:
                    continue
                if self.received is not None:
                    self._end_now(self.received)
                self.received = signal.Signals(number[0])
                self._view.say("stopping after this move; Ctrl-C again stops now")

    def _end_now(self, received: signal.Signals) -> None:
        from selfmate.players.engine_process import kill_engines

        self._view.close()
        with suppress(Exception):  # the main thread may be changing what is reported
            self._report()
            sys.stdout.flush()
        kill_engines()
        os._exit(128 + received)


def _leave_it(*_: object) -> None:
    """A handler of signals that the listening thread reads."""


def command_of(*arguments: str) -> str:
    """A command as the user would type it, beginning with how this program was started."""
    program, found = Path(sys.argv[0]), shutil.which("selfmate")
    name = "selfmate"
    if program.name == "__main__.py":
        name = "python -m selfmate"
    elif program.name == "selfmate" and (found is None or not program.samefile(found)):
        name = shlex.quote(sys.argv[0])
    return f"{name} {shlex.join(arguments)}"


def same_command(*more: str) -> str:
    """The command that was typed, with further arguments that it lacks."""
    typed = sys.argv[1:]
    return command_of(*typed, *(word for word in more if word not in typed))
