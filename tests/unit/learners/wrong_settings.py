"""Settings that must be refused, derived from the fields of a configuration."""

from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from selfmate.learners.config import Config

TEXTS, NUMBERS = "a list of texts", "a list of numbers"
# TOML values that a field of each type must refuse, whatever its bounds.
WRONG_TYPES: dict[Any, tuple[str, ...]] = {
    int: ("true", "1.0", '"20"', "nan", "[1]", "{}", "1979-05-27"),
    float: ("false", '"0.5"', "nan", "inf", "-inf", "[0.5]", "{}", "1e400"),
    bool: ("1", "0", '"true"', "nan", "[true]", "{}"),
    str: ("1", "true", "nan", '["x"]', "{}"),
    tuple: ("1", "true", '"4, 4"', '["4"]', "[nan]", "[true]", "[[1]]", "[1, 2.5]", "{}"),
    NUMBERS: (
        "1",
        "true",
        '"4, 4"',
        '["4"]',
        "[nan]",
        "[inf]",
        "[true]",
        "[[1]]",
        '[0.5, "1"]',
        "{}",
    ),
    TEXTS: ("1", "true", '"a"', "[1]", '["a", 1]', '[["a"]]', "{}"),
    Literal: ("1", "true", "nan", '""', '"nonesuch"', "[]", "{}"),
}


LISTS = {(str,): TEXTS, (float,): NUMBERS}  # by the type of an entry; others are whole numbers


def wrong_settings(config_class: type[Config]) -> Iterator[tuple[str, str]]:
    """Pairs of a key and a TOML value that is not allowed for it."""
    for key, field in config_class.model_fields.items():
        kind: Any = get_origin(field.annotation) or field.annotation
        if kind is tuple:
            kind = LISTS.get(get_args(get_args(field.annotation)[0])[:1], tuple)
        for value in (*WRONG_TYPES[kind], *_out_of_bounds(field)):
            yield key, value


def _out_of_bounds(field: FieldInfo) -> Iterator[str]:
    for bound in field.metadata:
        for name, step in (("ge", -1), ("gt", 0), ("le", 1), ("lt", 0)):
            if hasattr(bound, name):
                limit = getattr(bound, name)
                yield str(limit + step)
                yield str(limit + step * 10**30 if step else limit)
