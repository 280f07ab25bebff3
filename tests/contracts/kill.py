"""Kills a program at a chosen moment of its writing, as a crash would.

Run as `kill.py EVENT MODULE ARGUMENTS...`: calls `main` of the module with these arguments, and
kills the process at the EVENT-th call that changes something on disk (of a write, the first half is
done). EVENT 0 never kills; the last line on standard error is the number of events.
"""

import importlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1]
CHANGES = ("open", "write", "fsync", "rename", "replace", "mkdir", "unlink", "rmdir", "ftruncate")


def run_killed(
    event: int, module: str, *arguments: str, cwd: Path
) -> "subprocess.CompletedProcess[str]":
    """Runs `main` of a module in a new process, killed at `event`."""
    command = [sys.executable, __file__, str(event), module, *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=cwd, timeout=120, check=False
    )


def was_killed(done: "subprocess.CompletedProcess[str]") -> bool:
    return done.returncode == -signal.SIGKILL


def events_of(done: "subprocess.CompletedProcess[str]") -> int:
    return int(done.stderr.splitlines()[-1])


class Killer:
    """Counts events in `seen`, and kills the process at the fatal one."""

    def __init__(self, event: int) -> None:
        self.fatal, self.seen = event, 0
        for name in CHANGES:
            setattr(os, name, self._watched(name, getattr(os, name)))

    def _watched(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*arguments: Any, **options: Any) -> Any:
            self.seen += 1
            if self.seen == self.fatal:
                if name == "write":
                    call(arguments[0], arguments[1][: len(arguments[1]) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            # The kernel outlives the process: flushing to disk would only take time.
            return None if name == "fsync" else call(*arguments, **options)

        return watched


def main() -> None:
    sys.path.insert(0, str(TESTS))
    event, module, *arguments = sys.argv[1:]
    run = importlib.import_module(module).main
    sys.argv = [module, *arguments]
    killer = Killer(int(event))
    try:
        run()
    finally:
        print(killer.seen, file=sys.stderr)


if __name__ == "__main__":
    main()
