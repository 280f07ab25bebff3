"""The words of the field: the worst of our old dialect stays out of code, page and docs."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Where old names are quoted on purpose: what they are called now, and what was done when.
QUOTING = {
    "CHANGELOG.md",
    "docs/decisions/0017-one-language-fewer-rooms.md",
    "docs/lab-notebook.md",
    "src/selfmate/renamed.py",
    "tests/unit/test_renamed.py",
    "tests/unit/test_vocabulary.py",
}
SUFFIXES = {".py", ".pyi", ".h", ".cpp", ".ts", ".tsx", ".md", ".toml"}
OLD_WORDS = (
    r"\bDescent\b", r"\b[Cc]rew\b", r"\b[Pp]upils?\b", r"\bCures\b", r"\bVitals\b", r"\bForest\b",
    r"\bKeeper\b", r"\bSitting\b", r"\bsittings?\b", r"\bManner\b", r"\bSentences\b", r"\bTally\b",
    r"\bTeachings\b", r"\bdice\b", r"\bheadlines\b", r"\bcut_games\b", r"\bmost_norm\b",
    r"\bleast_learning_rate\b", r"\bat_once\b", r"\bnoise_share\b", r"\bgumbel_moves\b",
    r"\bgames_per_click\b", r"\bcame to nothing\b", r"\bcomes? to nothing\b", r"\bgone on with\b",
    r"\bgoes on with\b", r"\b[Tt]he seed's\b", r"\bby the seed\b(?! and)", r"\bworkroom\b",
)  # fmt: skip


def tracked_files() -> list[str]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [
        name
        for name in listing.stdout.splitlines()
        if Path(name).suffix in SUFFIXES and name not in QUOTING and (ROOT / name).exists()
    ]


@pytest.mark.parametrize("word", OLD_WORDS)
def test_no_file_uses_an_old_word(word: str) -> None:
    pattern = re.compile(word)
    found = [
        f"{name}:{number}: {line.strip()}"
        for name in tracked_files()
        for number, line in enumerate((ROOT / name).read_text("utf-8").splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found, "\n".join(found[:20])
