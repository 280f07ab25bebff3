"""Which Python modules are there that we measure ourselves against."""

from importlib.util import find_spec


def has_module(name: str) -> bool:
    """Whether a Python module is installed, without importing it."""
    return find_spec(name) is not None
