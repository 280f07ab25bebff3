"""Arrays as safetensors: bytes with names, shapes and types, and nothing that could be run."""

from collections.abc import Iterable, Mapping
from hashlib import file_digest
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save

from selfmate.runs.card import FileNote
from selfmate.runs.errors import DamagedError
from selfmate.runs.files import open_plain
from selfmate.runs.run import Arrays

MOST_NAMED = 3


def pack(arrays: Arrays) -> bytes:
    """ValueError when a number is not finite."""
    check_finite(arrays)
    # safetensors looks at memory, not at strides.
    return save({name: np.asarray(array, order="C") for name, array in arrays.items()})


def unpack(path: Path, note: FileNote) -> dict[str, NDArray[Any]]:
    """The arrays of a file that is exactly the one noted, or DamagedError."""
    _check_bytes(path, note)
    try:
        arrays = load_file(path)
    except Exception as error:  # whatever the reader stumbles over, the file is at fault
        raise DamagedError(f"{path.name} is not safetensors: {str(error)[:100]}") from error
    try:
        check_finite(arrays)
    except ValueError as error:
        raise DamagedError(f"{path.name}: {error}") from error
    return arrays


def check_finite(arrays: Arrays) -> None:
    for name, array in arrays.items():
        if array.dtype.kind in "fc" and not np.isfinite(array).all():
            raise ValueError(f"{name} holds a number that is not finite")


def check_layout(arrays: Arrays, like: Mapping[str, NDArray[Any]]) -> None:
    """For `State.load`: the same names, shapes and types as `like`, or ValueError."""
    if arrays.keys() != like.keys():
        missing, unknown = like.keys() - arrays.keys(), arrays.keys() - like.keys()
        raise ValueError(
            f"the arrays are others: missing {_some(missing)}, not known {_some(unknown)}"
        )
    for name, array in arrays.items():
        given, wanted = _layout(array), _layout(like[name])
        if given != wanted:
            raise ValueError(f"{name} is {given}, not {wanted}")


def _some(names: Iterable[str]) -> str:
    """A net has hundreds: a few tell what it is about."""
    first = sorted(names)
    more = f" and {len(first) - MOST_NAMED} more" if len(first) > MOST_NAMED else ""
    return (", ".join(first[:MOST_NAMED]) or "none") + more


def _layout(array: NDArray[Any]) -> str:
    return f"{array.dtype}{list(array.shape)}"


def _check_bytes(path: Path, note: FileNote) -> None:
    # The size first: a forged giant is refused before it is read.
    with open_plain(path) as file:
        size_bytes = file.seek(0, 2)
        if size_bytes != note.size_bytes:
            raise DamagedError(
                f"{path.name} has {size_bytes:,} bytes instead of {note.size_bytes:,}"
            )
        file.seek(0)
        if file_digest(file, "sha256").hexdigest() != note.sha256:
            raise DamagedError(f"{path.name} is not the file its card describes")
