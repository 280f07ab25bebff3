"""Settings that ship with the package, one TOML file each."""

import tomllib
from importlib.resources import files
from typing import Any


def preset_names() -> list[str]:
    """All shipped presets."""
    return sorted(
        entry.name.removesuffix(".toml")
        for entry in files(__name__).iterdir()
        if entry.name.endswith(".toml")
    )


def load_preset(name: str) -> dict[str, Any]:
    """The settings of one preset."""
    if name not in preset_names():
        raise ValueError(f"no preset {name!r}; there are: {', '.join(preset_names())}")
    return tomllib.loads(files(__name__).joinpath(f"{name}.toml").read_text("utf-8"))
