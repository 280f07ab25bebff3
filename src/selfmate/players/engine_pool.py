"""An engine at work on several boards at once, in as many processes as there are cores."""

import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from threading import Lock

from selfmate.players.engine_client import Margins
from selfmate.players.engine_seat import Engine, Seat, Starter
from selfmate.players.jobs import Job, run_jobs
from selfmate.rules.cores import available_cores


class EnginePool:
    """A seat per core; their processes are started when needed, and ended by `close`."""

    def __init__(self, engine: Engine, margins: Margins) -> None:
        self._starter = Starter(engine, margins)
        self.seats = [Seat(self._starter) for _ in range(available_cores())]
        self._busy = Lock()
        # Also at the end of the program, and when the pool is forgotten without being closed.
        weakref.finalize(self, self._starter.processes.end_all)

    def run(self, works: Sequence[Callable[[], None]]) -> None:
        """Runs works in threads, at most one for each seat. Blocks; an error of any is raised."""
        with self._busy:
            self._starter.processes.open()
            run_jobs([Job(work) for work in works], self._starter.processes.kill_all)

    def close(self) -> None:
        """May be called more than once, and while works run: they find their engines crashed."""
        if not self._busy.acquire(blocking=False):
            self._starter.processes.kill_all()
            self._busy.acquire()
        try:
            for seat in self.seats:
                seat.close()
            self._starter.processes.end_all()
        finally:
            self._busy.release()


def taken_from(waiting: deque[int]) -> Iterator[int]:
    """One after the other, until another has taken the last."""
    while True:
        try:
            number = waiting.popleft()
        except IndexError:
            return
        yield number
