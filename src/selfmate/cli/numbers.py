"""Numbers that users type, refused with the value and what is allowed."""

from collections.abc import Callable

import typer

LARGEST_SEED = 2**63 - 1


def whole(low: int, high: int) -> Callable[[str | int], int]:
    """A parser of whole numbers from `low` to `high`; defaults come as numbers."""

    def parse(value: str | int) -> int:
        text = str(value)
        if text.isascii() and text.removeprefix("-").isdigit() and low <= int(text) <= high:
            return int(text)
        raise typer.BadParameter(f"{text!r} is not a whole number from {low} to {high}")

    return parse
