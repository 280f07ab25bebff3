"""The command line as a user meets it: a process, its output, its exit code."""

import subprocess
import sys
from pathlib import Path


def command_of(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "selfmate", *arguments]


def selfmate(
    *arguments: str, cwd: Path | None = None, typed: str = ""
) -> "subprocess.CompletedProcess[str]":
    command = command_of(*arguments)
    return subprocess.run(
        command, input=typed, capture_output=True, text=True, cwd=cwd, timeout=120, check=False
    )
