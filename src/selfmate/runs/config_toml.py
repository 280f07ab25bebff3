"""A run's configuration as TOML: the learner's name, then one table of settings."""

import json
import re
import tomllib
from typing import Any

from selfmate.runs.errors import DamagedError
from selfmate.runs.run import Json

BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def config_toml(learner: str, config: dict[str, Json]) -> str:
    lines = [f"learner = {_value('learner', learner)}", "", "[config]"]
    lines += [f"{_key(key)} = {_value(key, value)}" for key, value in config.items()]
    return "\n".join(lines) + "\n"


def parse_config_toml(data: bytes) -> tuple[str, dict[str, Any]]:
    try:
        document = tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise DamagedError(f"config.toml is not TOML: {str(error)[:100]}") from error
    learner, config = document.get("learner"), document.get("config")
    if document.keys() != {"learner", "config"} or not isinstance(learner, str):
        raise DamagedError("config.toml does not hold a learner and its [config]")
    if not isinstance(config, dict):
        raise DamagedError("[config] in config.toml is not a table")
    return learner, config


def _key(key: str) -> str:
    return key if BARE_KEY.fullmatch(key) else _text(key)


def _value(key: str, value: Json) -> str:
    match value:
        case bool():
            return str(value).lower()
        case int() | float():
            return repr(value)
        case str():
            return _text(value)
        case list() | tuple():
            return f"[{', '.join(_value(key, item) for item in value)}]"
        case _:
            raise ValueError(f"{key} is {value!r}; settings are texts, numbers, bools or lists")


def _text(text: str) -> str:
    # JSON's escapes are TOML's, but TOML wants DEL escaped and, as UTF-8, no half surrogates.
    text.encode()
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
