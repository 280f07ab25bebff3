"""The core's README lists its files, in dependency order."""

import re
from pathlib import Path

CORE = Path(__file__).parents[2] / "core"
FILES = {f"{path.parent.name}/{path.stem}" for path in CORE.glob("*/*")}


def line_of_each_file() -> dict[str, int]:
    """The line of the README that lists a file, by folder/name."""
    lines: dict[str, int] = {}
    folder = ""
    for number, line in enumerate((CORE / "README.md").read_text("utf-8").splitlines()):
        if line.startswith("## "):
            folder = line.removeprefix("## ").split(":")[0]
        if line.startswith("- "):
            for name in re.findall(r"`(\w+)(?:\.cpp|\.txt)?`", line.split(" - ")[0]):
                lines[f"{folder}/{name}"] = number
    return lines


def test_every_file_of_the_core_is_listed() -> None:
    assert FILES - line_of_each_file().keys() == set()


def test_headers_include_only_what_is_listed_above() -> None:
    lines = line_of_each_file()
    for header in CORE.glob("*/*.h"):
        name = f"{header.parent.name}/{header.stem}"
        for included in re.findall(r'#include "(\w+/\w+)\.h"', header.read_text("utf-8")):
            assert lines[included] <= lines[name], f"{included} is listed below {name}"
