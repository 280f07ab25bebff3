"""The configuration of a learner: what all have in common, and how it is read in layers."""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from selfmate.learners.settings import in_words, settings_of
from selfmate.presets import load_preset, presets_of

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from selfmate.learners import Learner

LARGEST_SEED = 2**63 - 1
DEFAULT = "default"  # as a preset: none
LARGEST_FILE = 2**20  # bytes; a configuration is a page at most


FolderName = Annotated[str, Field(min_length=1)]


class Config(BaseModel):
    """What decides a run. Every learner's own settings follow in a subclass, each with a default
    and a description."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    seed: int = Field(default=1, ge=0, le=LARGEST_SEED, description="same seed, same run")
    checkpoint_every: int = Field(
        default=50, ge=1, description="steps from one checkpoint to the next"
    )
    keep_last: int = Field(default=3, ge=1, description="newest checkpoints that are kept")
    keep_every: int = Field(
        default=0, ge=0, description="of the older checkpoints each N-th is kept too; 0 keeps none"
    )

    def plain(self) -> dict[str, Any]:
        """Every setting as a JSON value."""
        return self.model_dump(mode="json")

    def changed(self) -> dict[str, Any]:
        """The settings that are not at their defaults."""
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
    """Defaults, over them the preset, the file, each `key=value`, the seed. ValueError is one
    sentence that names the setting, its value and what is allowed."""
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
        if preset not in presets_of(learner.name):
            there_are = ", ".join([DEFAULT, *presets_of(learner.name)])
            raise ValueError(f"{learner.name} has no preset {preset!r}; there are: {there_are}")
        yield f"preset {preset}", load_preset(f"{learner.name}-{preset}")
    if file is not None:
        yield str(file), _read_file(learner, file)
    for text in sets:
        yield "--set", _read_set(text)


def _read_file(learner: "Learner", file: Path) -> Mapping[str, Any]:
    """A file of settings, or the `config.toml` of a run."""
    if not file.is_file():
        raise ValueError(f"there is no file {file}; --config takes settings as TOML or JSON")
    if file.stat().st_size > LARGEST_FILE:
        raise ValueError(f"{file} has {file.stat().st_size} bytes, at most {LARGEST_FILE} are read")
    settings = _parsed(file)
    if settings.keys() != {"learner", "config"} or not isinstance(settings["config"], dict):
        return settings
    if settings["learner"] != learner.name:
        found = in_words(settings["learner"])
        raise ValueError(f"{file} is for the learner {found}, not for {learner.name!r}")
    return settings["config"]


def _parsed(file: Path) -> dict[str, Any]:
    """JSON begins with a brace, which TOML never does."""
    kind, parse = "TOML", tomllib.loads
    try:
        text = file.read_text("utf-8")
        if text.lstrip().startswith("{"):
            kind, parse = "JSON", json.loads
        return parse(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file} is no {kind} file: {error}") from None


def _read_set(text: str) -> Mapping[str, Any]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise ValueError(f"--set takes key=value, not {in_words(text)}")
    return {key.strip(): _read_value(value.strip())}


def _read_value(text: str) -> Any:
    """A TOML value; what is none is bare text, so that `optimizer=adam` needs no quotes."""
    try:
        read = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return read["value"] if read.keys() == {"value"} else text


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _sentence(error: "ErrorDetails", learner: "Learner", given: Mapping[str, _Given]) -> str:
    settings = settings_of(learner.config_class)
    if not error["loc"]:  # a check of several settings together has a sentence of its own
        return str(error.get("ctx", {}).get("error", error["msg"]))
    key = str(error["loc"][0])
    source = given[key].source
    if key not in settings:
        nearest = get_close_matches(key, settings, n=1, cutoff=0.5)
        guess = f"did you mean {nearest[0]}? " if nearest else ""
        return (
            f"{learner.name} has no setting {in_words(key)} ({source}); "
            f"{guess}there are: {', '.join(settings)}"
        )
    value = in_words(given[key].value)
    return f"{key} cannot be {value} ({source}); allowed is {settings[key].allowed}"
