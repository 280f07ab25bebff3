"""The engine: handles each command of the GUI, and sends exactly one `bestmove` for each `go`.

One thread owns the state and all output. Lines from the GUI and events from searches reach it
through one queue, so nothing can overtake or interleave. `search` is imported at the first `go`.
"""

from collections import deque
from collections.abc import Callable, Iterable
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING

from selfmate.uci.commands import info_lines, move_stats, parse_go, parse_position
from selfmate.uci.options import Capabilities, Options

if TYPE_CHECKING:
    from selfmate.players import Player
    from selfmate.rules import Board
    from selfmate.uci.search import Search, SearchEvent

MAX_MESSAGE_LENGTH = 400  # characters; messages quote text from outside


class NoPlayerError(Exception):
    """The player could not be loaded, so there is no engine."""


class Engine:
    def __init__(
        self,
        name: str,
        load: "Callable[[], Player]",
        write: Callable[[str], None],
        next_seed: Callable[[], int],
        capabilities: Capabilities | None = None,
    ) -> None:
        """`load` is called when the player is first needed; `write` gets one line at a time;
        `next_seed` gives a random 64-bit number for each search."""
        self._name, self._load, self._write, self._next_seed = name, load, write, next_seed
        self._capabilities = capabilities or Capabilities()
        self._options = Options(self._capabilities)
        self._player: Player | None = None
        self._board: Board | None = None  # None: the start position; the rules are not loaded yet
        self._search: Search | None = None  # the one that is not answered yet
        self._last_search: Search | None = None  # its player may still run
        self._is_debugging = False
        self._has_quit = False
        self._queue: SimpleQueue[str | SearchEvent] = SimpleQueue()
        self._lines: deque[str] = deque()  # received, not yet handled
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "uci": self._introduce,
            "debug": self._set_debug,
            "isready": self._get_ready,
            "setoption": self._options.set,
            "register": lambda words: None,
            "ucinewgame": lambda words: None,  # players keep no state of a game
            "position": self._set_position,
            "go": self._go,
            "stop": self._stop,
            "ponderhit": self._ponderhit,
            "quit": self._quit,
        }

    def run(self, lines: Iterable[str]) -> None:
        """Handles lines until `quit` or their end; NoPlayerError if the player does not load."""
        Thread(target=_read, args=(lines, self._queue), daemon=True).start()
        while not self._has_quit:
            command, *words = self._next_line().split() or [""]
            try:
                if command in self._commands:
                    self._commands[command](words)
                elif command:
                    known = ", ".join(self._commands)
                    raise ValueError(f"unknown command {command!r}; there are: {known}")
            except ValueError as error:
                self._explain(str(error))

    def quit(self) -> None:
        """As if the GUI had sent `quit`; may be called by signal handlers."""
        self._queue.put("quit")

    def close(self, timeout_s: float) -> bool:
        """Closes the player and drops all state; whether the player has stopped in time."""
        if self._player is not None:
            self._player.close()
        has_stopped = self._last_search is None or self._last_search.join(timeout_s)
        self._player = self._board = self._search = self._last_search = None
        while not self._queue.empty():
            self._queue.get()
        return has_stopped

    # Input: lines and events.

    def _next_line(self) -> str:
        """The next line to handle. A search that is stopping is answered first."""
        while True:
            if self._search is not None and self._search.check_clock():
                self._receive_all()
                self._answer(self._search)
            is_free = self._search is None or not self._search.is_stopping
            if self._lines and is_free:
                return self._lines.popleft()
            self._receive(self._search.seconds_to_deadline if self._search else None)

    def _receive_all(self) -> None:
        """What the player found in time must count, even if this thread was late to read it."""
        for _ in range(self._queue.qsize()):
            self._receive(0)

    def _receive(self, timeout_s: float | None) -> None:
        try:
            received = self._queue.get(timeout=timeout_s)
        except Empty:
            return
        if isinstance(received, str):
            self._lines.append(received)
        elif received.search is self._search:  # events of searches that were answered are dropped
            self._handle_event(received)

    def _handle_event(self, event: "SearchEvent") -> None:
        """Keeps and reports an analysis if its move is allowed."""
        search, analysis, options = event.search, event.analysis, self._options
        search.is_done = event.is_last
        if event.error is not None:
            self._explain(f"the player failed: {type(event.error).__name__}: {event.error}")
        elif analysis is not None and analysis.best not in search.allowed:
            self._explain(f"the player chose {analysis.best!r}, which is not allowed here")
        elif analysis is not None and analysis != search.best:
            search.best = analysis
            wdl, multi_pv = options.show_wdl.value, options.multi_pv.value
            for line in info_lines(analysis, search.elapsed_ms, wdl, multi_pv):
                self._send(line)

    # Output.

    def _send(self, line: str) -> None:
        """Sends one line, whatever line breaks are in the text."""
        self._write(" ".join(line.split()))

    def _explain(self, message: str) -> None:
        """Sends a message for people."""
        self._send(f"info string {message[:MAX_MESSAGE_LENGTH]}")

    def _answer(self, search: "Search") -> None:
        self._search = None
        if not search.allowed:
            is_mate = search.request.board.is_check()
            self._send(f"info depth 0 score {'mate' if is_mate else 'cp'} 0")
        elif search.best is None:
            self._explain("the player gave no move: a random legal move is played")
        elif self._options.move_stats.value:
            for line in move_stats(search.best):
                self._explain(line)
        self._send(search.bestmove())

    # Commands.

    def _introduce(self, words: list[str]) -> None:
        self._send(f"id name Selfmate {self._name}")
        self._send("id author the Selfmate developers")
        for line in self._options.lines():
            self._send(line)
        self._send("uciok")

    def _set_debug(self, words: list[str]) -> None:
        if words not in (["on"], ["off"]):
            raise ValueError("debug must be: debug on | off")
        self._is_debugging = words == ["on"]

    def _get_ready(self, words: list[str]) -> None:
        self._load_player()
        self._send("readyok")

    def _set_position(self, words: list[str]) -> None:
        self._board = parse_position(words)

    def _go(self, words: list[str]) -> None:
        if self._search is not None:
            self._finish_search_before(["go", *words])
            return
        search = self._make_search(words)
        search.start(self._load_player(), self._last_search, self._queue.put)
        self._search = self._last_search = search

    def _make_search(self, words: list[str]) -> "Search":
        from selfmate.players import SearchRequest
        from selfmate.uci.search import Search, allowed_moves, search_limits
        from selfmate.uci.time_management import time_budget

        go, options = parse_go(words), self._options
        board = self._board or parse_position(["startpos"])
        allowed = allowed_moves(board, go)
        for warning in go.warnings:
            self._explain(warning)
        budget = time_budget(go, board.turn, options.overhead_ms.value)
        limits = search_limits(go, budget, uses_time=self._capabilities.uses_time)
        if self._is_debugging:
            self._explain(f"{len(allowed)} moves, {limits}, {budget}")
        request = SearchRequest(
            board=board,
            seed=self._next_seed(),
            limits=limits,
            temperature=options.temperature,
            c_puct=options.c_puct,
            threads=options.threads.value,
        )
        return Search(request, allowed, budget, go.flags)

    def _stop(self, words: list[str]) -> None:
        if self._search is not None:
            self._search.stop()

    def _ponderhit(self, words: list[str]) -> None:
        if self._search is not None:
            self._search.ponderhit()

    def _quit(self, words: list[str]) -> None:
        if self._search is not None:
            self._finish_search_before(["quit"])
        else:
            self._has_quit = True

    def _finish_search_before(self, words: list[str]) -> None:
        """Stops the search and handles the line again after its `bestmove`."""
        self._stop([])
        self._lines.appendleft(" ".join(words))

    def _load_player(self) -> "Player":
        if self._player is None:
            try:
                self._player = self._load()
            except Exception as error:
                self._explain(f"the player {self._name} cannot be loaded: {error}")
                raise NoPlayerError(
                    f"the player {self._name!r} cannot be loaded: {error}"
                ) from error
        return self._player


def _read(lines: Iterable[str], queue: "SimpleQueue[str | SearchEvent]") -> None:
    """Queues lines until the input ends. It may outlive the engine, so it knows only the queue."""
    for line in lines:
        queue.put(line)
    queue.put("quit")
