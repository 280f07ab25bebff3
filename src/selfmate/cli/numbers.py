"""Numbers that users type, refused with the value and what is allowed."""

import math
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


def between(low: float, high: float) -> Callable[[str | float], float]:
    """A parser of numbers from `low` to `high`; defaults come as numbers."""

    def parse(value: str | float) -> float:
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if low <= number <= high:
            return number + 0.0  # zero without a minus
        raise typer.BadParameter(f"{str(value)!r} is not a number from {low:g} to {high:g}")

    return parse


def above_zero(text: str) -> float:
    """A parser of numbers above zero."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if 0 < value < math.inf:
        return value
    raise typer.BadParameter(f"{text!r} is not a number above 0")
