"""Every dependency is pinned, and everything that is pinned is exact."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    return dict(line.lower().replace("_", "-").split("==") for line in lines if line[0] != "#")


def test_declared_dependencies_are_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    declared = list(project["project"]["dependencies"])
    for extra in project["project"]["optional-dependencies"].values():
        declared += extra
    names = {re.split(r"[<>=!~\[; ]", line)[0].lower() for line in declared}
    assert names <= pins().keys()


def test_the_build_uses_the_pinned_tools() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    for requirement in project["build-system"]["requires"]:
        name, version = requirement.split("==")
        assert pins()[name] == version
