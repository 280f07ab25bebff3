"""The tree in docs/architecture.md is the tree, and the README is short."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
# Folders below these are listed one by one; deeper ones belong to the line of their parent.
LISTED_BELOW = ("core", "src/selfmate", "tests", "docs")


def listed_folders() -> set[str]:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    block = re.search(r"## The tree\n.*?```\n(.*?)```", page, re.DOTALL)
    assert block is not None
    folders, path = set(), list[str]()
    for line in block[1].splitlines():
        entry = re.match(r"( *)(\S+)/(?:\s|$)", line)
        if entry:
            depth = len(entry[1]) // 2
            path = [*path[:depth], entry[2]]
            folders.add("/".join(path))
    return folders


def tracked_folders() -> set[str]:
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    folders = set()
    for line in listing.stdout.splitlines():
        folder = Path(line).parent
        if not (ROOT / line).exists() or folder == Path():
            continue
        folders.add(folder.parts[0])
        for base in LISTED_BELOW:
            if folder.is_relative_to(base):
                folders.add(base)
                if folder != Path(base):
                    folders.add("/".join((base, folder.relative_to(base).parts[0])))
    return folders


def test_the_tree_in_the_architecture_is_the_tree() -> None:
    assert listed_folders() == tracked_folders() - {".ci"}


def test_the_readme_is_read_in_two_minutes() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").split()) < 700
