"""The settings of a configuration in words: defaults, what is allowed, what they mean."""

from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

Kind = Literal["whole", "number", "switch", "choice", "text", "list"]
KINDS: dict[Any, Kind] = {
    int: "whole",
    float: "number",
    bool: "switch",
    str: "text",
    Literal: "choice",
    tuple: "list",
}


@dataclass(frozen=True, kw_only=True)
class Setting:
    name: str
    default: Any
    allowed: str  # "a whole number from 0 to 9"
    description: str
    kind: Kind
    least: float | None = None  # of a number that may be so small itself
    most: float | None = None
    choices: tuple[str, ...] = ()


def settings_of(config_class: type[BaseModel]) -> dict[str, Setting]:
    """Every setting by name, in the order of the class."""
    return {name: _setting(name, field) for name, field in config_class.model_fields.items()}


def _setting(name: str, field: FieldInfo) -> Setting:
    bounds = _bounds(field.metadata)
    kind = KINDS[get_origin(field.annotation) or field.annotation]
    return Setting(
        name=name,
        default=field.default,
        allowed=_allowed(field.annotation, field.metadata, field.default),
        description=field.description or "",
        kind=kind,
        least=bounds.get("ge"),
        most=bounds.get("le"),
        choices=get_args(field.annotation) if kind == "choice" else (),
    )


def in_words(value: Any) -> str:
    """A value as it would stand in a TOML file, cut when it is long."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        text = f"[{', '.join(map(in_words, value))}]"
    elif isinstance(value, int):
        text = str(value) if value.bit_length() < 1_000 else hex(value)  # str refuses the longest
    else:
        text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _allowed(annotation: Any, metadata: list[Any], default: Any = None) -> str:
    bounds = _bounds(metadata)
    if annotation is bool:
        return "true or false"
    if annotation is str:
        return "a text"
    if annotation in (int, float):
        return ("a whole number" if annotation is int else "a number") + _range(bounds)
    if get_origin(annotation) is Literal:
        return " or ".join(map(repr, get_args(annotation)))
    if get_origin(annotation) is tuple and get_args(annotation)[1:] == (...,):
        return _list(get_args(annotation)[0], bounds, default)
    raise TypeError(f"settings cannot be of type {annotation}")


def _list(entry: Any, bounds: dict[str, Any], default: Any) -> str:
    kind, *notes = get_args(entry) or (entry,)
    each = _allowed(kind, [part for note in notes for part in _parts(note)])
    low, high = bounds.get("min_length", 0), bounds.get("max_length")
    length = "" if not low and high is None else f" of {low} or more entries"
    if high is not None:
        length = f" of {low} to {high} entries"
    example = f" such as {in_words(default)}" if default else ""
    return f"a list{length}{example}, each {each}"


def _parts(note: Any) -> list[Any]:
    return note.metadata if isinstance(note, FieldInfo) else [note]


def _bounds(metadata: list[Any]) -> dict[str, Any]:
    names = ("ge", "gt", "le", "lt", "min_length", "max_length")
    return {name: getattr(m, name) for m in metadata for name in names if hasattr(m, name)}


def _range(bounds: dict[str, Any]) -> str:
    low, above = bounds.get("ge"), bounds.get("gt")
    high, below = bounds.get("le"), bounds.get("lt")
    if low is not None and high is not None:
        return f" from {low} to {high}"
    parts = [
        f"of at least {low}" if low is not None else f"above {above}" if above is not None else "",
        f"up to {high}" if high is not None else f"below {below}" if below is not None else "",
    ]
    text = " and ".join(part for part in parts if part)
    return f" {text}" if text else ""
