"""A player at a board of the lab."""

from collections.abc import Iterator
from contextlib import contextmanager
from secrets import randbits
from threading import Event, Lock, Timer

from selfmate.players import Player, Question, Thought
from selfmate.rules import Board


class Seat:
    """Thinks about one board at a time: whoever asks next waits until a thought that was stopped
    has let go of the player. `name` is what the lab calls it, settings included."""

    def __init__(self, player: Player, name: str) -> None:
        self.name = name
        self._player = player
        self._busy = Lock()

    def ask(self, board: Board, stop: Event, seconds: float | None = None) -> Thought:
        """Blocks. The player thinks as it is set, so that its name says how strong it is; after
        `seconds` it is told to stop."""
        with self._busy, _stopped_after(seconds, stop):
            return self._player.think(Question(board=board, dice=randbits(64), stop=stop))

    def close(self) -> None:
        """What it thinks of is to be stopped before."""
        with self._busy:
            self._player.close()


@contextmanager
def _stopped_after(seconds: float | None, stop: Event) -> Iterator[None]:
    if seconds is None:
        yield
        return
    timer = Timer(seconds, stop.set)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
