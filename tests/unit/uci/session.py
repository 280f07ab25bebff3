"""Talks to an engine as a GUI does, line by line, without a process."""

from collections.abc import Iterable, Iterator
from queue import SimpleQueue
from threading import Thread
from types import TracebackType

from selfmate.players import Player
from selfmate.uci.engine import Engine
from unit.uci.fakes import Fake

PATIENCE_S = 30  # only a broken engine is waited for so long


def converse(player: Player, lines: Iterable[str]) -> list[str]:
    """All that an engine says to some lines and then the end of the input."""
    said: list[str] = []
    engine = Engine(player.name, lambda: player, said.append, lambda: 7)
    engine.run(lines)
    return said


def bestmoves(said: Iterable[str]) -> list[str]:
    return [line.split()[1] for line in said if line.startswith("bestmove")]


class Session:
    """A running engine; `with` ends it."""

    def __init__(self, player: Fake) -> None:
        self._said: SimpleQueue[str] = SimpleQueue()
        self._sent: SimpleQueue[str | None] = SimpleQueue()
        self.engine = Engine(player.name, lambda: player, self._said.put, lambda: 7, player.traits)
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
            self._sent.put(line)

    def read(self) -> str:
        return self._said.get(timeout=PATIENCE_S)

    def read_until(self, start: str) -> list[str]:
        lines = [self.read()]
        while not lines[-1].startswith(start):
            lines.append(self.read())
        return lines

    def end(self) -> list[str]:
        """Ends the input; what the engine still said."""
        self._sent.put(None)
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()
        return [self._said.get() for _ in range(self._said.qsize())]

    def _lines(self) -> Iterator[str]:
        while (line := self._sent.get()) is not None:
            yield line
