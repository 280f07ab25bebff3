"""State that lives in arrays changed in place: copied out to be saved, copied back to go on."""

from typing import Any

from numpy.typing import NDArray

from selfmate.runs.run import Arrays
from selfmate.runs.tensors import check_layout


def copied(arrays: Arrays) -> Arrays:
    return {name: array.copy() for name, array in arrays.items()}


def restore(arrays: Arrays, saved: Arrays) -> None:
    """Writes saved values over the arrays; ValueError unless names, shapes and types are theirs."""
    check_layout(saved, arrays)
    for name, array in arrays.items():
        array[...] = saved[name]


def parted(arrays: Arrays) -> dict[str, dict[str, NDArray[Any]]]:
    """What `prefixed` returned once, part by part."""
    parts: dict[str, dict[str, NDArray[Any]]] = {}
    for name, array in arrays.items():
        part, _, rest = name.partition(".")
        parts.setdefault(part, {})[rest] = array
    return parts


def prefixed(**parts: Arrays) -> Arrays:
    """The arrays of several parts side by side, as `part.name`."""
    return {f"{part}.{name}": array for part, of in parts.items() for name, array in of.items()}
