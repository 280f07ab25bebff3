"""JSON that is strict both ways."""

import pytest

from selfmate.runs.errors import DamagedError
from selfmate.runs.json_text import json_line, parse


@pytest.mark.parametrize("text", [r'{"a": "\ud800"}', r'{"\uDFFF": 1}', r'{"a": ["\udc00\ud800"]}'])
def test_half_a_character_is_no_text(text: str) -> None:
    with pytest.raises(DamagedError, match="is not JSON"):
        parse(text.encode(), "status.json")


@pytest.mark.parametrize("text", ["\N{GRINNING FACE}", "\\ud800", "\ud7ff", "é"])
def test_whole_characters_are(text: str) -> None:
    assert parse(json_line({text: text}), "notes.jsonl") == {text: text}
