"""The settings a file is collected with, kept beside it: it is gone on with by the same."""

import json
from collections.abc import Mapping
from pathlib import Path

Settings = Mapping[str, str | int | float | None]


def agreement_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.settings.json")


def check_agreement(path: Path, settings: Settings) -> None:
    """ValueError when the file was collected with other settings; a file alone is trusted."""
    beside = agreement_path(path)
    if not beside.exists():
        return
    try:
        agreed = dict(json.loads(beside.read_text("utf-8")))
    except (ValueError, TypeError) as error:
        raise ValueError(f"{beside} is damaged: {error}") from error
    for key in sorted({*settings, *agreed}):
        if settings.get(key) != agreed.get(key):
            raise ValueError(
                f"{path} was collected with {key} {agreed.get(key)}, not {settings.get(key)}: "
                "go on with the same, or choose another file"
            )


def write_agreement(path: Path, settings: Settings) -> None:
    new = path.with_name(f"{path.name}.settings.json.tmp")
    new.write_text(json.dumps(settings, indent=1) + "\n", "utf-8")
    new.replace(agreement_path(path))
