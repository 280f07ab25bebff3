"""Extras: packages that `pip install selfmate` leaves out, and what they are for.

`pip install 'selfmate[train]'` adds those of `train`. Whatever needs an extra says so in a
sentence.
"""

from importlib.util import find_spec
from types import MappingProxyType
from typing import NamedTuple


class Extra(NamedTuple):
    """One extra of pyproject.toml."""

    packages: tuple[str, ...]  # by the names under which they are imported
    need: str  # who needs them: the first half of the sentence
    use: str  # what they are for, as `selfmate doctor` lists it


EXTRAS = MappingProxyType(
    {
        "train": Extra(
            ("torch",),
            "training nets, and exporting them, needs PyTorch",
            "train, pretrain, finetune, export, demo; playing needs none of it",
        ),
        "gym": Extra(
            ("gymnasium", "pettingzoo"),
            "selfmate.envs needs Gymnasium and PettingZoo",
            "environments: import selfmate.envs",
        ),
        "onnx": Extra(
            ("onnx", "onnxruntime"),
            "ONNX files need onnx and onnxruntime",
            "selfmate export, and players onnx:path=...",
        ),
        "pandas": Extra(("pandas",), "a frame needs pandas", "metrics of a run as a frame"),
        "plots": Extra(("matplotlib",), "a picture needs matplotlib", "inspect --plot"),
        "ray": Extra(("ray",), "--ray needs Ray", "--ray: games played on other machines"),
        "tensorboard": Extra(
            ("tensorboard",), "--track tensorboard needs TensorBoard", "--track tensorboard"
        ),
        "trackio": Extra(("trackio",), "--track trackio needs trackio", "--track trackio"),
    }
)


class MissingExtraError(ValueError):
    """A package is not installed; the message says how to install it."""


def has_extra(name: str) -> bool:
    """Whether all packages of an extra are installed. Nothing is imported."""
    return all(map(find_spec, EXTRAS[name].packages))


def missing_sentence(name: str) -> str:
    return f"{EXTRAS[name].need}: {install_command(name)}"


def install_command(name: str) -> str:
    return f"pip install 'selfmate[{name}]'"


def check_extra(name: str) -> None:
    """MissingExtraError, a ValueError, if a package of the extra is not installed."""
    if not has_extra(name):
        raise MissingExtraError(missing_sentence(name))


def extra_of(package: str) -> str | None:
    """The extra that brings a package, by the name under which it is imported."""
    top = package.partition(".")[0]
    return next((name for name, extra in EXTRAS.items() if top in extra.packages), None)
