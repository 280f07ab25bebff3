"""Settings that ship with the package, one TOML file each; a learner's are `learner-preset`."""

import tomllib
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

FOLDER: Traversable = files(__name__)


def preset_names() -> list[str]:
    """All shipped presets."""
    return sorted(
        entry.name.removesuffix(".toml")
        for entry in FOLDER.iterdir()
        if entry.name.endswith(".toml")
    )


def presets_of(learner: str) -> list[str]:
    """The presets of one learner, as `--preset` takes them."""
    mine = f"{learner}-"
    return [name.removeprefix(mine) for name in preset_names() if name.startswith(mine)]


def load_preset(name: str) -> dict[str, Any]:
    """The settings of one preset."""
    if name not in preset_names():
        raise ValueError(f"no preset {name!r}; there are: {', '.join(preset_names())}")
    return tomllib.loads(FOLDER.joinpath(f"{name}.toml").read_text("utf-8"))


def about_preset(name: str) -> str:
    """What its file says of itself in its first line."""
    first = FOLDER.joinpath(f"{name}.toml").read_text("utf-8").partition("\n")[0]
    return first.lstrip("# ") if first.startswith("#") else ""
