"""What we write as TOML is what Python's own reader reads."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfmate.runs.config_toml import config_toml, parse_config_toml
from selfmate.runs.run import Json

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
SCALARS = TEXTS | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.booleans()
VALUES = st.recursive(SCALARS, st.lists, max_leaves=8)


def kinds(value: Json) -> object:
    """Python finds 1, 1.0 and True equal; a configuration does not."""
    return [kinds(item) for item in value] if isinstance(value, list) else (type(value), value)


@given(TEXTS, st.dictionaries(TEXTS, VALUES))
def test_configurations_come_back(learner: str, config: dict[str, Json]) -> None:
    text = config_toml(learner, config)
    assert tomllib.loads(text) == {"learner": learner, "config": config}
    read = parse_config_toml(text.encode())
    assert read == (learner, config)
    assert list(read[1]) == list(config)
    assert {key: kinds(value) for key, value in read[1].items()} == {
        key: kinds(value) for key, value in config.items()
    }


@pytest.mark.parametrize("value", [None, {"a": 1}, [None], "\ud800"])
def test_what_toml_cannot_hold_is_refused(value: Json) -> None:
    with pytest.raises(ValueError, match=r"settings are|surrogates"):
        config_toml("toy", {"key": value})
