"""Transcripts in tests/golden/uci, replayed with the engine line by line."""

import re
from pathlib import Path

import pytest

from unit.uci.fakes import FAKES
from unit.uci.session import Session

FOLDER = Path(__file__).parents[2] / "golden" / "uci"
HEADER = """\
# > what the GUI sends, < what the engine must answer before the next line is sent.
# In an answer, ... stands for any text. `player` is one of tests/unit/uci/fakes.py.
"""


def matches(expected: str, line: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, expected.split("..."))), line) is not None


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_transcript(path: Path) -> None:
    text = path.read_text("utf-8")
    assert text.startswith(HEADER)
    player, *lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    with Session(FAKES[player.removeprefix("player: ")]()) as session:
        for line in lines:
            if line.startswith(">"):
                session.send(line.removeprefix(">").strip())
            else:
                said = session.read()
                assert matches(line.removeprefix("< "), said), f"expected {line!r}, got {said!r}"
        assert session.end() == []
