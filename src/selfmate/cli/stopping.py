"""Ctrl-C and SIGTERM in verbs that play games for a long time, and the command that continues."""

import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

import typer

from selfmate.cli.console import LiveLine
from selfmate.runs import StopSignals

STOPPING = "stopping after this move; press Ctrl-C again to stop now"


class StopListener:
    """Within `with`, the first Ctrl-C or SIGTERM is answered with a line, and the verb ends its
    work between two moves. The second ends the process, engines included, after `report` has shown
    what there is."""

    def __init__(self, view: LiveLine, report: Callable[[], None]) -> None:
        self._view, self._report = view, report
        self._signals = StopSignals(say=view.say, stopping=STOPPING, at_end=self._end_now)

    def __enter__(self) -> Self:
        self._signals.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._signals.__exit__(kind, error, trace)

    def is_set(self) -> bool:
        return self._signals.received is not None

    def end(self) -> None:
        """To be called after the work: reports and leaves with the signal's code, if one came."""
        self._view.close()
        if self._signals.received is not None:
            self._report()
            raise typer.Exit(128 + self._signals.received)

    def _end_now(self) -> None:
        from selfmate.players.engine_process import kill_engines

        try:
            self._view.close()
            self._report()
            sys.stdout.flush()
        finally:
            kill_engines()


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
