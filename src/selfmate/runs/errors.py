"""How a run can go wrong: refused before it starts, damaged on disk, failed on the way."""


class RunRefusedError(ValueError):
    """The run cannot start or go on as asked; the text says what would work."""


class DamagedError(ValueError):
    """A file of a run cannot be trusted; the text is the reason."""


class RunFailedError(Exception):
    """The run had to end; the text says why and what is still good."""
