"""Strict JSON and TOML: what is written can be read, and what cannot be written is refused."""

import math
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfmate.runs.files import config_toml, parse, parse_config_toml
from selfmate.runs.lines import LineReader, checked_line
from selfmate.runs.run import CorruptError, Json

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
SCALARS = (
    TEXTS
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.booleans()
)
VALUES = st.recursive(SCALARS, st.lists, max_leaves=8)


def kinds(value: Json) -> object:
    """To Python 1, 1.0 and True are equal; to a configuration they are not."""
    return [kinds(item) for item in value] if isinstance(value, list) else (type(value), value)


@given(TEXTS, st.dictionaries(TEXTS, VALUES))
def test_configurations_survive_the_round_trip(learner: str, config: dict[str, Json]) -> None:
    text = config_toml(learner, config)
    assert tomllib.loads(text) == {"learner": learner, "config": config}
    read = parse_config_toml(text.encode())
    assert read == (learner, config)
    assert list(read[1]) == list(config)
    assert {key: kinds(value) for key, value in read[1].items()} == {
        key: kinds(value) for key, value in config.items()
    }


@pytest.mark.parametrize("value", [None, {"a": 1}, [None], "\ud800", math.inf, [-math.inf]])
def test_values_that_toml_cannot_hold_are_refused(value: Json) -> None:
    with pytest.raises(ValueError, match=r"settings are|surrogates"):
        config_toml("toy", {"key": value})


@pytest.mark.parametrize(
    "value", ["1979-05-27", "07:32:00", "nan", "-inf", "[1, inf]", "{a = 1}", "[1979-05-27]"]
)
def test_settings_that_no_run_writes_are_refused(value: str) -> None:
    text = f'learner = "toy"\n[config]\nseed = 3\nrate = {value}\n'
    with pytest.raises(CorruptError, match=r"^'rate' in config\.toml is .*; settings are texts"):
        parse_config_toml(text.encode())


def test_what_is_no_text_is_refused_with_the_name_of_the_file() -> None:
    with pytest.raises(CorruptError, match=r"^config\.toml is not UTF-8 text$"):
        parse_config_toml(b"\xff\xfe")
    with pytest.raises(CorruptError, match=r"^card\.json is not UTF-8 text$"):
        parse(b"\xff\xfe", "card.json")


@pytest.mark.parametrize("text", [r'{"a": "\ud800"}', r'{"\uDFFF": 1}', r'{"a": ["\udc00\ud800"]}'])
def test_lone_surrogates_are_refused(text: str) -> None:
    with pytest.raises(CorruptError, match="is not JSON"):
        parse(text.encode(), "status.json")


@pytest.mark.parametrize("text", ["\N{GRINNING FACE}", "\\ud800", "\ud7ff", "é"])
def test_other_characters_survive_the_round_trip(text: str) -> None:
    assert LineReader("notes.jsonl").read(checked_line({text: text})) == {text: text}
