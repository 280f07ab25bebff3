"""Settings that ship, one TOML file each, named `LEARNER-PRESET.toml`.

Other distributions add theirs by an entry point in the group `selfmate.presets`: a package whose
folder holds such files.
"""

import tomllib
from importlib.metadata import entry_points
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

FOLDER: Traversable = files(__name__)
ENTRY_POINTS = "selfmate.presets"


def _files() -> dict[str, Traversable]:
    """The file of every preset by its name."""
    folders = [FOLDER, *(files(point.load()) for point in entry_points(group=ENTRY_POINTS))]
    return {
        file.name.removesuffix(".toml"): file
        for folder in folders
        for file in folder.iterdir()
        if file.name.endswith(".toml")
    }


def preset_names() -> list[str]:
    """All presets there are."""
    return sorted(_files())


def presets_of(learner: str) -> list[str]:
    """The presets of one learner, as `--preset` takes them."""
    prefix = f"{learner}-"
    return [name.removeprefix(prefix) for name in preset_names() if name.startswith(prefix)]


def load_preset(name: str) -> dict[str, Any]:
    """The settings of one preset."""
    found = _files()
    if name not in found:
        raise ValueError(f"no preset {name!r}; there are: {', '.join(sorted(found))}")
    return tomllib.loads(found[name].read_text("utf-8"))


def about_preset(name: str) -> str:
    """What the file says about itself in its first line: how long it takes on two cores, a colon,
    and what it does."""
    first = _files()[name].read_text("utf-8").partition("\n")[0]
    return first.lstrip("# ") if first.startswith("#") else ""
