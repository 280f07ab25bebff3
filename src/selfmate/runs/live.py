"""State that lives in arrays changed in place: copied out to be saved, copied back to go on."""

from selfmate.runs.run import Arrays


def copied(arrays: Arrays) -> Arrays:
    return {name: array.copy() for name, array in arrays.items()}


def restore(arrays: Arrays, saved: Arrays) -> None:
    """Writes saved values over the arrays; ValueError unless names, shapes and types are theirs."""
    if arrays.keys() != saved.keys():
        odd = ", ".join(sorted(arrays.keys() ^ saved.keys()))
        raise ValueError(f"the arrays are not the same ones: {odd}")
    for name, array in arrays.items():
        found, wanted = saved[name], array
        if (found.shape, found.dtype) != (wanted.shape, wanted.dtype):
            raise ValueError(
                f"{name} is {found.dtype} {list(found.shape)}, "
                f"not {wanted.dtype} {list(wanted.shape)}"
            )
    for name, array in arrays.items():
        array[...] = saved[name]


def prefixed(**parts: Arrays) -> Arrays:
    """The arrays of several parts side by side, as `part.name`."""
    return {f"{part}.{name}": array for part, of in parts.items() for name, array in of.items()}
