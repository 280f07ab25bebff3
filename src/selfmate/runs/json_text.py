"""JSON that is strict both ways: no NaN, no surprises from a stranger's file."""

import json
from collections.abc import Mapping
from typing import Any

from selfmate.runs.errors import DamagedError
from selfmate.runs.run import Json


def canonical(value: Json) -> str:
    """One text per value, for digests and comparisons; ValueError when a number is not finite."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def pretty(value: Json) -> bytes:
    """Sorted, for people."""
    return json.dumps(value, sort_keys=True, indent=1, allow_nan=False).encode() + b"\n"


def json_line(entry: Mapping[str, Json]) -> bytes:
    """In the order given, so that people find the step first."""
    return json.dumps(entry, allow_nan=False).encode() + b"\n"


def parse(data: bytes, name: str) -> dict[str, Any]:
    """A JSON object, or DamagedError."""
    try:
        value = json.loads(data.decode(), parse_constant=_refuse)
        if b"\\ud" in data.lower():  # it may be half a character, which no text can hold
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError as error:
        raise DamagedError(f"{name} is nested too deeply") from error
    except ValueError as error:
        raise DamagedError(f"{name} is not JSON: {str(error)[:100]}") from error
    if not isinstance(value, dict):
        raise DamagedError(f"{name} is not a JSON object")
    return value


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not a number")
