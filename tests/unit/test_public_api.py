"""What `import selfmate` promises."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import selfmate
from selfmate.presets import about_preset, load_preset, preset_names

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", selfmate.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(selfmate, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Bored'"):
        selfmate.Bored  # noqa: B018


def test_import_loads_nothing_heavy() -> None:
    program = (
        "import selfmate, sys; print([m for m in ('numpy', 'chess', 'rich') if m in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"


def test_only_the_lowest_layers_touch_the_extension() -> None:
    source = ROOT / "src" / "selfmate"
    users = {
        path.relative_to(source).parts[0]
        for path in source.rglob("*.py")
        if re.search(r"selfmate\._core (as|import)", path.read_text("utf-8"))
    }
    assert users == {"rules", "encodings", "nets", "searches"}


def test_the_version_is_said_once() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert selfmate.__version__ == project["version"]


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_loads(name: str) -> None:
    assert load_preset(name)


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_says_in_one_line_what_it_is_for(name: str) -> None:
    assert about_preset(name).endswith(".")


def test_an_unknown_preset_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no preset 'x'; there are: .*demo"):
        load_preset("x")
