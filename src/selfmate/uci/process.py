"""The engine as a process: standard input and output, signals, the end."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from selfmate.players import check_name, load_player
from selfmate.uci.engine import Engine
from selfmate.uci.traits import Traits, traits_of

if TYPE_CHECKING:
    from selfmate.players import Player

STDIN, STDOUT, STDERR = 0, 1, 2
LONGEST_LINE = 1 << 20  # bytes
PATIENCE_S = 1.0  # for a player to let go at the end


def play(player: str, seed: int | None = None) -> None:
    """Serves the player of a name. ValueError for a bad name comes before any output."""
    traits = traits_of(check_name(player))
    serve(player, lambda: load_player(player), _dice(seed), traits)


def serve(
    name: str,
    load: "Callable[[], Player]",
    dice: Callable[[], int],
    traits: Traits | None = None,
) -> None:
    """Speaks UCI until `quit`, the end of the input, SIGINT, SIGTERM or a GUI that went away."""
    output = _take_stdout()

    def write(line: str) -> None:
        rest = f"{line}\n".encode(errors="replace")
        while rest:
            rest = rest[os.write(output, rest) :]

    engine = Engine(name, load, write, dice, traits)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: engine.quit())
    try:
        with suppress(BrokenPipeError):
            engine.run(read_lines(STDIN))
    finally:
        if not engine.close(PATIENCE_S):
            # Threads that are still inside the core must not meet the end of the interpreter.
            os._exit(0)


def read_lines(fd: int) -> Iterator[str]:
    """Lines as they come, without Python's file object: its lock would hold up the exit."""
    rest = b""
    with suppress(OSError):
        while chunk := os.read(fd, 1 << 16):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                yield line.decode(errors="replace")
            if len(rest) > LONGEST_LINE:
                rest = b"?"  # a line must not be obeyed in part: what is left is no command
    yield rest.decode(errors="replace")


def _take_stdout() -> int:
    """A descriptor for the protocol alone; whatever else is printed goes to standard error."""
    output = os.dup(STDOUT)
    try:
        os.dup2(STDERR, STDOUT)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), STDOUT)
    return output


def _dice(seed: int | None) -> Callable[[], int]:
    if seed is None:
        return lambda: int.from_bytes(os.urandom(8), "little")
    from random import Random

    stream = Random(seed)
    return lambda: stream.getrandbits(64)
