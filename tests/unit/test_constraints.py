"""Every dependency is pinned, and everything that is pinned is exact."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    return dict(line.lower().replace("_", "-").split("==") for line in lines if line[0] != "#")


def declared_names(without_extras: frozenset[str] = frozenset()) -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    declared = list(project["project"]["dependencies"])
    for name, extra in project["project"]["optional-dependencies"].items():
        declared += extra if name not in without_extras else []
    return {re.split(r"[<>=!~\[; ]", line)[0].lower() for line in declared}


def test_declared_dependencies_are_pinned() -> None:
    assert declared_names() <= pins().keys()


def test_the_build_uses_the_pinned_tools() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    for requirement in project["build-system"]["requires"]:
        name, version = requirement.split("==")
        assert pins()[name] == version


def test_what_is_imported_is_declared() -> None:
    imported = {
        name
        for path in (ROOT / "src" / "selfmate").rglob("*.py")
        for name in imported_packages(path.read_text("utf-8"))
    }
    ours = {"selfmate", "selfmate_benchmarks"}
    # What only developers install is missing where users run the package.
    names = declared_names(frozenset({"bench", "docs", "test"}))
    declared = {name.replace("-", "_").partition(".")[0] for name in names}
    newer = {"compression"}  # of Python 3.14, where it is in the place of backports.zstd
    assert imported - declared - ours - newer - sys.stdlib_module_names == set()


def imported_packages(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def test_no_dependency_may_change_its_major_version_unseen() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for requirement in (*project["dependencies"], *project["optional-dependencies"]["train"]):
        line = requirement.partition(";")[0]
        name, upper = re.split(r"[<>]", line)[0], line.partition("<")[2]
        assert upper, line
        pinned = [int(part) for part in pins()[name].split(".")[:2]]
        assert pinned < [int(part) for part in upper.split(".")], line


def test_the_lock_has_the_pinned_versions_with_a_hash_each() -> None:
    text = (ROOT / "lock-linux-x86_64-cp311.txt").read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    locked = {}
    for line in lines:
        found = re.fullmatch(r"([\w.-]+)==([\w.]+) --hash=sha256:[0-9a-f]{64}", line)
        assert found, line
        locked[found[1].lower().replace("_", "-")] = found[2]
    assert locked.items() <= pins().items()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    needed = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    assert {re.split(r"[<>=]", line)[0] for line in needed} <= locked.keys()
