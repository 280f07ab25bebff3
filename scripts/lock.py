"""Writes the lock file: everything that Selfmate needs to be built, to run and to train, with
hashes.

Run where it is to be used: hashes are those of the files that pip chooses for this Python on this
system. Versions are those of constraints.txt.
"""

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "lock-linux-x86_64-cp311.txt"
BUILD_TOOLS = ("setuptools", "cmake", "ninja")  # beside those that pyproject.toml requires
HEADER = """\
# Made by scripts/lock.py for CPython 3.11 on Linux, x86-64; other systems use constraints.txt.
# torch is the CPU build: without the second index, pip refuses the CUDA build for its hash.
#   pip install --require-hashes -r {name} --extra-index-url https://download.pytorch.org/whl/cpu
#   pip install --no-deps --no-build-isolation .
"""


def requirements() -> list[str]:
    file = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    project, build = file["project"], file["build-system"]
    train = project["optional-dependencies"]["train"]
    return [*project["dependencies"], *train, *build["requires"], *BUILD_TOOLS]


def chosen_files() -> list[dict[str, Any]]:
    """What pip would install into an empty environment."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
    command += ["--report", "-", "-c", str(ROOT / "constraints.txt"), *requirements()]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: list[dict[str, Any]] = json.loads(done.stdout)["install"]
    return found


def line_of(chosen: dict[str, Any]) -> str:
    name, version = chosen["metadata"]["name"], chosen["metadata"]["version"]
    digest = chosen["download_info"]["archive_info"]["hashes"]["sha256"]
    return f"{name}=={version.partition('+')[0]} --hash=sha256:{digest}\n"


def main() -> None:
    lines = sorted(map(line_of, chosen_files()), key=str.lower)
    LOCK.write_text(HEADER.format(name=LOCK.name) + "".join(lines), "utf-8")
    print(f"{LOCK.name}: {len(lines)} packages")


if __name__ == "__main__":
    main()
