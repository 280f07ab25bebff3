"""Processes in which packages are missing, whatever is installed."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from unit.cli.process import command_of


def environment_without(folder: Path, *packages: str) -> Mapping[str, str]:
    """The environment of a Python that finds none of the packages, nor do its children. `folder`
    is new."""
    folder.mkdir()
    lines = ["import sys", *(f"sys.modules[{name!r}] = None" for name in packages)]
    (folder / "sitecustomize.py").write_text("\n".join(lines), "utf-8")
    paths = [str(folder), os.environ.get("PYTHONPATH", "")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}


def selfmate_with(
    environment: Mapping[str, str], *arguments: str, cwd: Path
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command_of(*arguments), env=environment, cwd=cwd,
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
