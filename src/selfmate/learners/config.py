"""The configuration of a learner: settings that all share, and the layers it is read from."""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel, Field, ValidationError
from pydantic.fields import FieldInfo

from selfmate.presets import load_preset, presets_of
from selfmate.renamed import preset_now, setting_now
from selfmate.settings import Settings

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from selfmate.learners.learner import Learner


class LabelSettings(Settings):
    """Of a pretraining that needs no files: the teacher labels positions while the net learns."""

    label_uses: int = Field(
        2, ge=1, le=4, description="times that each position is learned from (without data)"
    )
    teacher_depth: int = Field(
        2, ge=1, le=4, description="search depth of the teacher in plies (without data)"
    )
    own_fraction: float = Field(
        0.3, ge=0, le=1, description="fraction of games that the net itself plays (without data)"
    )
    random_fraction: float = Field(
        0.1, ge=0, le=1, description="fraction of games against a random player (without data)"
    )
    endgame_fraction: float = Field(
        0.1, ge=0, le=1, description="fraction of games from a won endgame (without data)"
    )


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
    least: float | None = None  # inclusive bounds of a number
    most: float | None = None
    choices: tuple[str, ...] = ()


def settings_of(config_class: type[BaseModel]) -> dict[str, Setting]:
    """All settings by name, in the order of the class."""
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
    """A value as in a TOML file, shortened when it is long."""
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
        number = "a whole number" if annotation is int else "a number"
        multiple = bounds.get("multiple_of")
        return number + _range(bounds) + (f", a multiple of {multiple}" if multiple else "")
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
    names = ("ge", "gt", "le", "lt", "multiple_of", "min_length", "max_length")
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


LARGEST_SEED = 2**63 - 1
DEFAULT = "default"  # the name for no preset
LARGEST_FILE = 2**20  # bytes
SECTIONS = {"pretrain", "train"}  # of a configuration file, by verb
ALLOWED_SECTIONS = "[pretrain] and [train]"

FolderName = Annotated[str, Field(min_length=1)]


class Config(Settings):
    """Everything that decides a run. Each learner has a subclass with its own settings, each with a
    default and a description."""

    seed: int = Field(default=1, ge=0, le=LARGEST_SEED, description="random seed of the run")
    checkpoint_every: int = Field(default=50, ge=1, description="steps between checkpoints")
    keep_last: int = Field(default=3, ge=1, description="newest checkpoints to keep")
    keep_every: int = Field(
        default=0, ge=0, description="keep every N-th of the older checkpoints, too; 0: none"
    )
    compress: bool = Field(
        default=False, description="write checkpoints as gzip: smaller, and slower to write"
    )
    load: str = Field(
        default="",
        description="run or net that ships whose weights the run starts from; empty: random ones",
    )

    def plain(self) -> dict[str, Any]:
        """All settings as JSON values."""
        return self.model_dump(mode="json")

    def changed(self) -> dict[str, Any]:
        """The settings that differ from their defaults."""
        defaults = type(self)()
        return {name: value for name, value in self if value != getattr(defaults, name)}


@dataclass(frozen=True)
class _Given:
    value: Any
    source: str


def read_config(
    learner: "Learner",
    *,
    preset: str | None = None,
    file: Path | None = None,
    sets: Sequence[str] = (),
    seed: int | None = None,
) -> Config:
    """The configuration from layers, each overriding those before: defaults, preset, file, every
    `key=value`, seed. ValueError is one sentence with the setting, its value and what is allowed.
    """
    given: dict[str, _Given] = {}
    for source, settings in _layers(learner, preset, file, sets):
        given |= {key: _Given(_tuple(value), source) for key, value in settings.items()}
    if seed is not None:
        given["seed"] = _Given(seed, "--seed")
    try:
        return learner.config_class.model_validate({key: g.value for key, g in given.items()})
    except ValidationError as error:
        raise ValueError(_sentence(error.errors()[0], learner, given)) from None


def _layers(
    learner: "Learner", preset: str | None, file: Path | None, sets: Sequence[str]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if preset not in (None, DEFAULT):
        preset = preset_now(learner.name, preset) or preset
        if preset not in presets_of(learner.name):
            there_are = ", ".join([DEFAULT, *presets_of(learner.name)])
            raise ValueError(f"{learner.name} has no preset {preset!r}; there are: {there_are}")
        yield f"preset {preset}", load_preset(f"{learner.name}-{preset}")
    if file is not None:
        yield str(file), _read_file(learner, file)
    for text in sets:
        yield "--set", _read_set(text)


def _read_file(learner: "Learner", file: Path) -> Mapping[str, Any]:
    """The settings of a file, of its section for this verb, or of the `config.toml` of a run."""
    if not file.is_file():
        raise ValueError(f"there is no file {file}; --config takes settings as TOML or JSON")
    if file.stat().st_size > LARGEST_FILE:
        raise ValueError(f"{file} has {file.stat().st_size} bytes, at most {LARGEST_FILE} are read")
    settings = _parsed(file)
    if settings.keys() != {"learner", "config"} or not isinstance(settings["config"], dict):
        return _of_section(learner, settings, file)
    if settings["learner"] != learner.name:
        found = in_words(settings["learner"])
        raise ValueError(f"{file} is for the learner {found}, not for {learner.name!r}")
    if sentence := old_run_sentence(learner, settings["config"], file.parent):
        raise ValueError(sentence)
    return settings["config"]


def _of_section(learner: "Learner", settings: Mapping[str, Any], file: Path) -> Mapping[str, Any]:
    """Of a file for pretraining and training: what stands before the sections is for both. A file
    without sections is for any verb."""
    verb, known = learner.verb, learner.config_class.model_fields
    tables = {key: value for key, value in settings.items() if isinstance(value, dict)}
    sections = {key: value for key, value in tables.items() if key not in known}
    if not sections:
        return settings
    if wrong := sections.keys() - SECTIONS:
        raise ValueError(f"{file} has a section [{min(wrong)}]; allowed are {ALLOWED_SECTIONS}")
    if verb not in sections:
        raise ValueError(f"{file} has no section [{verb}], only [{', '.join(sections)}]")
    return {k: v for k, v in settings.items() if k not in sections} | sections[verb]


def old_run_sentence(learner: "Learner", stored: Mapping[str, Any], run: Path) -> str | None:
    """Why a run whose stored settings have names of version 0.1 cannot be resumed; None if they
    have not."""
    settings = learner.config_class.model_fields
    for key in stored:
        now = setting_now(learner.name, key)
        if key not in settings and now in settings:
            return (
                f"{run} was written by version 0.1, which called {now} {key!r}: it cannot be "
                f"resumed; start a new run from its weights with --load {run}"
            )
    return None


def _parsed(file: Path) -> dict[str, Any]:
    """Parses TOML or JSON; only JSON begins with a brace."""
    kind, parse = "TOML", tomllib.loads
    try:
        text = file.read_text("utf-8")
        if text.lstrip().startswith("{"):
            kind, parse = "JSON", json.loads
        return parse(text)
    except UnicodeError:
        raise ValueError(f"{file} is not UTF-8 text") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file} is no {kind} file: {error}") from None


def _read_set(text: str) -> Mapping[str, Any]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise ValueError(f"--set takes key=value, not {in_words(text)}")
    return {key.strip(): _read_value(value.strip())}


def _read_value(text: str) -> Any:
    """A TOML value, or else the bare text, so that `optimizer=adam` needs no quotes."""
    try:
        read = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return read["value"] if read.keys() == {"value"} else text


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _sentence(error: "ErrorDetails", learner: "Learner", given: Mapping[str, _Given]) -> str:
    settings = settings_of(learner.config_class)
    if not error["loc"]:  # a validator of several settings, which has its own sentence
        return str(error.get("ctx", {}).get("error", error["msg"]))
    key = str(error["loc"][0])
    source = given[key].source
    if key not in settings:
        now = setting_now(learner.name, key)
        if now in settings:
            return f"{learner.name} has no setting {in_words(key)} ({source}); it is {now} now"
        nearest = get_close_matches(key, settings, n=1, cutoff=0.5)
        guess = f"did you mean {nearest[0]}? " if nearest else ""
        return (
            f"{learner.name} has no setting {in_words(key)} ({source}); "
            f"{guess}there are: {', '.join(settings)}"
        )
    value = in_words(given[key].value)
    return f"{key} cannot be {value} ({source}); allowed is {settings[key].allowed}"
