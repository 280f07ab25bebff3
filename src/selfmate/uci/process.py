"""The engine as a process: standard input and output, signals, a clean exit."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from selfmate.players import check_name, load_player
from selfmate.uci.engine import Engine
from selfmate.uci.options import Capabilities, capabilities_of

if TYPE_CHECKING:
    from selfmate.players import Player

STDIN, STDOUT, STDERR = 0, 1, 2
MAX_LINE_BYTES = 1 << 20
CLOSE_TIMEOUT_S = 1.0  # for a player to stop at the end


def play(player: str, seed: int | None = None) -> None:
    """Runs the engine with a player by name. A bad name is a ValueError before any output."""
    capabilities = capabilities_of(check_name(player))
    serve(player, lambda: load_player(player), _seed_stream(seed), capabilities)


def serve(
    name: str,
    load: "Callable[[], Player]",
    next_seed: Callable[[], int],
    capabilities: Capabilities | None = None,
) -> None:
    """Speaks UCI until `quit`, the end of the input, SIGINT, SIGTERM or a closed output."""
    output = _take_stdout()

    def write(line: str) -> None:
        unsent = f"{line}\n".encode(errors="replace")
        while unsent:
            unsent = unsent[os.write(output, unsent) :]

    engine = Engine(name, load, write, next_seed, capabilities)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: engine.quit())
    try:
        with suppress(BrokenPipeError):
            engine.run(read_lines(STDIN))
    finally:
        if not engine.close(CLOSE_TIMEOUT_S):
            # A thread that is still in the core must not see the interpreter shut down.
            os._exit(0)


def read_lines(fd: int) -> Iterator[str]:
    """Lines as they arrive, without Python's file object: its lock would delay the exit."""
    rest = b""
    with suppress(OSError):
        while chunk := os.read(fd, 1 << 16):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                yield line.decode(errors="replace")
            if len(rest) > MAX_LINE_BYTES:
                rest = b"?"  # part of a line must not be a command, so what is left is none
    yield rest.decode(errors="replace")


def _take_stdout() -> int:
    """A descriptor for the protocol alone; other prints go to standard error from now on."""
    output = os.dup(STDOUT)
    try:
        os.dup2(STDERR, STDOUT)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), STDOUT)
    return output


def _seed_stream(seed: int | None) -> Callable[[], int]:
    """Random 64-bit numbers: the same for the same seed, different each time without one."""
    if seed is None:
        return lambda: int.from_bytes(os.urandom(8), "little")
    from random import Random

    stream = Random(seed)
    return lambda: stream.getrandbits(64)
