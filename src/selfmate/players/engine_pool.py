"""Several processes of one external engine that search boards in parallel.

A pool has one slot per core; a slot runs one process at a time and replaces one that failed.
"""

import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Event, Lock
from types import MappingProxyType

import numpy as np

from selfmate.players.engine_client import EngineClient, MultiPvReader, Timeouts, ignore_info
from selfmate.players.engine_process import EngineFaultError, EngineProcess, ProcessGroup
from selfmate.players.jobs import Job, run_jobs
from selfmate.players.player import Limits
from selfmate.rules import Board, available_cores, uci_code
from selfmate.searches.teacher import MoveScores

MAX_FAILED_STARTS = 3  # in a row; then the engine is not started again
BOARDS_PER_SLOT = 8  # in one call of `score`, so that no process waits long for the others


@dataclass(frozen=True, kw_only=True)
class EngineConfig:
    """An engine's program, its UCI options and its default limits."""

    path: str
    limits: Limits
    options: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


class EnginePool:
    """One slot per core; processes are started when needed and ended by `close`."""

    def __init__(self, config: EngineConfig, timeouts: Timeouts) -> None:
        self._launcher = EngineLauncher(config, timeouts)
        self.slots = [EngineSlot(self._launcher) for _ in range(available_cores())]
        self._busy = Lock()
        # Also at the end of the program, and when the pool is garbage without being closed.
        weakref.finalize(self, self._launcher.processes.end_all)

    def run(self, tasks: Sequence[Callable[[], None]]) -> None:
        """Runs tasks in threads, at most one per slot. Blocks; raises the error of a task."""
        with self._busy:
            self._launcher.processes.open()
            run_jobs([Job(task) for task in tasks], self._launcher.processes.kill_all)

    def close(self) -> None:
        """May be called more than once, and while tasks run: they see their engines crash."""
        if not self._busy.acquire(blocking=False):
            self._launcher.processes.kill_all()
            self._busy.acquire()
        try:
            for slot in self.slots:
                slot.close()
            self._launcher.processes.end_all()
        finally:
            self._busy.release()


class EngineLauncher:
    """Starts processes of one engine, until three starts in a row have failed."""

    def __init__(self, config: EngineConfig, timeouts: Timeouts) -> None:
        self.processes = ProcessGroup()
        self._config = config
        self._timeouts = timeouts
        self._failures: list[EngineFaultError] = []

    def start(self) -> tuple[EngineProcess, EngineClient]:
        """A process that is ready to search; EngineFaultError if there is none."""
        if len(self._failures) >= MAX_FAILED_STARTS:
            raise EngineFaultError(str(self._failures[-1]))
        process = self._start_process()
        client = EngineClient(process, self._timeouts)
        try:
            client.start(self._config.options)
        except EngineFaultError as fault:
            code = self.processes.end(process)
            if self.processes.closed:  # the pool was closed: no fault of the engine
                raise EngineFaultError("stopped") from None
            raise self._failed(self._explain(str(fault), code)) from None
        self._failures.clear()
        return process, client

    def _start_process(self) -> EngineProcess:
        try:
            return self.processes.start(self._config.path)
        except OSError as error:
            raise self._failed(error.strerror or str(error)) from None

    def _failed(self, reason: str) -> EngineFaultError:
        fault = EngineFaultError(f"did_not_start: {reason}")
        self._failures.append(fault)
        return fault

    def _explain(self, fault: str, exit_code: int) -> str:
        match fault:
            case "crashed":
                return f"it ended with code {exit_code}"
            case "time":
                return f"no answer in {self._timeouts.start_s:g} s"
            case _:
                return fault


class EngineSlot:
    """Runs one process of an engine at a time. Used by one thread at a time."""

    def __init__(self, launcher: EngineLauncher) -> None:
        self._launcher = launcher
        self._running: tuple[EngineProcess, EngineClient] | None = None

    def search(
        self,
        board: Board,
        limits: Limits,
        stop: Event | None = None,
        on_info: Callable[[str], None] = ignore_info,
        root_moves: Sequence[str] = (),
    ) -> str:
        """Like EngineClient.search; after a fault the next search gets a new process."""
        client = self._healthy_client()
        try:
            return client.search(board, limits, stop, on_info, root_moves)
        except BaseException:
            self._end_process()
            raise

    def knows(self, board: Board) -> bool:
        """Whether its process has just searched an earlier position of this game."""
        return self._running is not None and self._running[1].knows(board)

    def forget_game(self) -> None:
        """Makes the next search independent of earlier ones."""
        if self._running is not None:
            self._running[1].forget_game()

    def close(self) -> None:
        if self._running is not None:
            self._running[1].quit()
            self._end_process()

    def _healthy_client(self) -> EngineClient:
        # A fault between two searches must not cost the game that comes next.
        if self._running is not None and not self._running[1].is_healthy():
            self._end_process()
        if self._running is None:
            self._running = self._launcher.start()
        return self._running[1]

    def _end_process(self) -> None:
        if self._running is not None:
            self._launcher.processes.end(self._running[0])
            self._running = None


class EngineScorer:
    """Scores of an engine's `best` moves (MultiPV). Faults are raised as EngineFaultError.

    The engine gets `ucinewgame` before each search, so a score depends on the board alone, not on
    the process or on earlier searches.
    """

    def __init__(self, config: EngineConfig, timeouts: Timeouts, best: int) -> None:
        options = {**config.options, "MultiPV": str(best)}
        self._pool = EnginePool(replace(config, options=options), timeouts)
        self._limits = config.limits
        self.parallel_games = BOARDS_PER_SLOT * len(self._pool.slots)

    def score(self, boards: Sequence[Board]) -> MoveScores:
        """The moves of each board, best first."""
        waiting, found = deque(range(len(boards))), [dict[str, int]()] * len(boards)

        def work(slot: EngineSlot) -> None:
            try:
                for number in take_from(waiting):
                    found[number] = self._scores(slot, boards[number])
            except EngineFaultError:
                waiting.clear()  # the call fails, so the other slots need not go on
                raise

        self._pool.run([partial(work, slot) for slot in self._pool.slots])
        return MoveScores(
            moves=np.array([uci_code(move) for scores in found for move in scores], np.uint16),
            centipawns=np.array([cp for scores in found for cp in scores.values()], np.int32),
            offsets=np.cumsum([0, *map(len, found)], dtype=np.int64),
        )

    def close(self) -> None:
        self._pool.close()

    def _scores(self, slot: EngineSlot, board: Board) -> dict[str, int]:
        reader = MultiPvReader(board)
        slot.forget_game()
        slot.search(board, self._limits, on_info=reader.read)
        if not (scores := reader.scores()):
            raise EngineFaultError(f"no_score: in {board.fen()}")
        return scores


def take_from(waiting: deque[int]) -> Iterator[int]:
    """Takes numbers from a queue that several threads share, until it is empty."""
    while True:
        try:
            number = waiting.popleft()
        except IndexError:
            return
        yield number
