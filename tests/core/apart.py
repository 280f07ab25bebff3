"""Calls that might crash the interpreter, each made in a process of its own.

A program ends with `main(cases)`. `outcomes` runs that program, which forks once for every case, so
that a crash or an endless loop ends one case and not the others.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path

SECONDS = 120  # of processor time, for a case that takes less than one
BYTES = 3 << 30  # of address space, of which libraries take a part


def is_sanitized() -> bool:
    """Sanitizers reserve terabytes of address space."""
    return "libasan" in os.environ.get("LD_PRELOAD", "")


def outcomes(program: Path) -> dict[str, str]:
    """What came of each case: "ok", "ValueError: its text", or how the process ended."""
    # Without a site the parent has found everything by its path, as under sanitizers.
    options = ["-S"] if sys.flags.no_site else []
    env = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    run = subprocess.run(
        [sys.executable, *options, str(program)], stdout=subprocess.PIPE, env=env, check=True
    )
    found: dict[str, str] = json.loads(run.stdout)
    return found


def main(cases: Mapping[str, Callable[[], object]]) -> None:
    """Runs all cases and prints their outcomes as JSON."""
    if not is_sanitized():
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print(json.dumps({name: outcome(case) for name, case in cases.items()}))


def outcome(case: Callable[[], object]) -> str:
    with tempfile.TemporaryFile("w+") as report:
        child = os.fork()
        if child == 0:
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            report.write(told(case))
            report.flush()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        report.seek(0)
        if os.WIFSIGNALED(status):
            return f"killed by {signal.Signals(os.WTERMSIG(status)).name}"
        return report.read() or f"ended with {os.WEXITSTATUS(status)}"


def told(case: Callable[[], object]) -> str:
    try:
        case()
    except AssertionError:
        return traceback.format_exc()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "ok"
