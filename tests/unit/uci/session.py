"""A GUI for the engine, line by line, without a process."""

from collections.abc import Callable, Iterable, Iterator
from queue import Empty, SimpleQueue
from threading import Thread
from types import TracebackType

from selfmate.players import Player
from selfmate.uci.engine import Engine
from unit.uci.fakes import Fake

TIMEOUT_S = 30  # only a broken engine takes so long


def converse(player: Player, lines: Iterable[str]) -> list[str]:
    """All output of an engine for these lines and the end of the input."""
    output: list[str] = []
    capabilities = getattr(player, "capabilities", None)
    engine = Engine(player.name, lambda: player, output.append, lambda: 7, capabilities)
    engine.run(lines)
    return output


def bestmoves(output: Iterable[str]) -> list[str]:
    return [line.split()[1] for line in output if line.startswith("bestmove")]


class Session:
    """A running engine; `with` ends it."""

    def __init__(self, player: Fake, load: Callable[[], Player] | None = None) -> None:
        self._output: SimpleQueue[str] = SimpleQueue()
        self._input: SimpleQueue[str | None] = SimpleQueue()
        self.engine = Engine(
            player.name, load or (lambda: player), self._output.put, lambda: 7, player.capabilities
        )
        self._thread = Thread(target=self.engine.run, args=(self._lines(),), daemon=True)

    def __enter__(self) -> "Session":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        self.end()

    def send(self, *lines: str) -> None:
        for line in lines:
            self._input.put(line)

    def read(self) -> str:
        return self._output.get(timeout=TIMEOUT_S)

    def engine_is_silent(self) -> bool:
        """Whether it says nothing for a moment."""
        try:
            self._output.get(timeout=0.1)
        except Empty:
            return True
        return False

    def read_until(self, start: str) -> list[str]:
        lines = [self.read()]
        while not lines[-1].startswith(start):
            lines.append(self.read())
        return lines

    def end(self) -> list[str]:
        """Ends the input; returns the rest of the output."""
        self._input.put(None)
        self._thread.join(TIMEOUT_S)
        assert not self._thread.is_alive()
        return [self._output.get() for _ in range(self._output.qsize())]

    def _lines(self) -> Iterator[str]:
        while (line := self._input.get()) is not None:
            yield line
