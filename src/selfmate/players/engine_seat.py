"""A seat is where one engine process works; one that failed is replaced by a fresh one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Event
from types import MappingProxyType

from selfmate.players.engine_client import EngineClient, Margins, hear_nothing
from selfmate.players.engine_process import EngineFaultError, EngineProcess, Processes
from selfmate.players.player import Limits
from selfmate.rules import Board

MAX_FAILED_STARTS = 3  # in a row; then it is not tried again


@dataclass(frozen=True, kw_only=True)
class Engine:
    """A program, how it is set, and how long it thinks when nobody says."""

    path: str
    limits: Limits
    options: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


class Starter:
    """Starts processes of one engine, until it fails too often."""

    def __init__(self, engine: Engine, margins: Margins) -> None:
        self.processes = Processes()
        self._engine = engine
        self._margins = margins
        self._failures: list[EngineFaultError] = []

    def start(self) -> tuple[EngineProcess, EngineClient]:
        if len(self._failures) >= MAX_FAILED_STARTS:
            raise EngineFaultError(str(self._failures[-1]))
        process = self._start_process()
        client = EngineClient(process, self._margins)
        try:
            client.start(self._engine.options)
        except EngineFaultError as fault:
            code = self.processes.end(process)
            if self.processes.closed:  # it was we who ended it
                raise EngineFaultError("stopped") from None
            raise self._failed(_explain(str(fault), code, self._margins)) from None
        self._failures.clear()
        return process, client

    def _start_process(self) -> EngineProcess:
        try:
            return self.processes.start(self._engine.path)
        except OSError as error:
            raise self._failed(error.strerror or str(error)) from None

    def _failed(self, why: str) -> EngineFaultError:
        fault = EngineFaultError(f"did_not_start: {why}")
        self._failures.append(fault)
        return fault


def _explain(reason: str, code: int, margins: Margins) -> str:
    match reason:
        case "crashed":
            return f"it ended with code {code}"
        case "time":
            return f"no answer in {margins.start_s:g} s"
        case _:
            return reason


class Seat:
    """Used by one thread at a time."""

    def __init__(self, starter: Starter) -> None:
        self._starter = starter
        self._seated: tuple[EngineProcess, EngineClient] | None = None

    def knows(self, board: Board) -> bool:
        """Whether its process has just searched an earlier position of this game."""
        return self._seated is not None and self._seated[1].knows(board)

    def forget(self) -> None:
        """The next search owes nothing to earlier ones."""
        if self._seated is not None:
            self._seated[1].forget()

    def search(
        self,
        board: Board,
        limits: Limits,
        stop: Event | None = None,
        on_info: Callable[[str], None] = hear_nothing,
    ) -> str:
        """As EngineClient.search; whatever goes wrong, the next search finds an engine as new."""
        client = self._fit_client()
        try:
            return client.search(board, limits, stop, on_info)
        except BaseException:
            self._vacate()
            raise

    def close(self) -> None:
        if self._seated is not None:
            self._seated[1].quit()
            self._vacate()

    def _fit_client(self) -> EngineClient:
        # What happened between two searches is no fault of the game that comes next.
        if self._seated is not None and not self._seated[1].is_fit():
            self._vacate()
        if self._seated is None:
            self._seated = self._starter.start()
        return self._seated[1]

    def _vacate(self) -> None:
        if self._seated is not None:
            self._starter.processes.end(self._seated[0])
            self._seated = None
