"""Bad input becomes one line and exit code 2; a failed job becomes one line and exit code 1."""

from collections.abc import Iterator
from contextlib import contextmanager


class BadInputError(Exception):
    """What the user typed cannot be used; the text says what is allowed."""


class JobFailedError(Exception):
    """The input was fine, but the job did not succeed."""


@contextmanager
def reading_input() -> Iterator[None]:
    """Around code that only reads what the user gave: its errors are the user's to mend."""
    try:
        yield
    except (ValueError, OSError) as error:
        raise BadInputError(str(error)) from error
